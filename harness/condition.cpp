#include "harness/condition.hpp"

#include <chrono>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "harness/probe.hpp"

namespace plumb {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// A key for the perturbations of one tensor in one probe (splitmix64).
std::uint64_t key_of(std::uint64_t seed, std::uint64_t probe, std::uint64_t ordinal) {
  std::uint64_t z = (seed * 64 + probe) * 0x9E3779B97F4A7C15ULL + ordinal * 0xD1B54A32D192ED03ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

bool moves(const at::Tensor& tensor) {
  return (tensor.is_floating_point() || tensor.is_complex()) && !tensor.is_quantized();
}

at::Tensor as_real(const at::Tensor& tensor) {
  return tensor.is_complex() ? at::view_as_real(tensor) : tensor;
}

/// Double and dense where it will be perturbed.
Inputs widened_and_dense(const Inputs& inputs) {
  return cast(inputs, at::kDouble).map([](const std::string&, const at::Tensor& tensor) {
    return moves(tensor) ? tensor.resolve_conj().resolve_neg().contiguous() : tensor;
  });
}

/// x(1 + h xi) with xi uniform in [-1, 1]; zeros, infinities and NaN stay what they are.
at::Tensor perturbed(const at::Tensor& tensor, double step, std::uint64_t key) {
  const at::Tensor from = as_real(tensor);
  const at::Tensor moved = at::empty(from.sizes(), at::kDouble);
  perturb(from.const_data_ptr<double>(), moved.mutable_data_ptr<double>(),
          static_cast<std::size_t>(from.numel()), step, key);
  return tensor.is_complex() ? at::view_as_complex(moved) : moved;
}

bool is_data_scalar(const Program& program, const std::string& name, const c10::IValue& value) {
  const auto& names = program.traits.data_scalars;
  return value.isDouble() && std::find(names.begin(), names.end(), name) != names.end();
}

at::Tensor difference(const Truth& moved, const Truth& reference) {
  at::Tensor d = moved.hi - reference.hi;
  if (reference.lo.defined() && moved.lo.defined()) d = d + (moved.lo - reference.lo);
  return d.is_complex() ? d.abs() : d;
}

WideValues values_of(const Truth& truth) {
  return {truth.hi.const_data_ptr<double>(),
          truth.lo.defined() ? truth.lo.const_data_ptr<double>() : nullptr};
}

bool is_plain(const Truth& truth) {
  return truth.hi.scalar_type() == at::kDouble && truth.hi.is_contiguous() &&
         (!truth.lo.defined() || truth.lo.is_contiguous());
}

}  // namespace

Conditioning::Conditioning(const Oracle& oracle, const Program& program, const Inputs& inputs,
                           const Truths& truths, std::uint64_t seed)
    : oracle_(oracle), program_(program), wide_(widened_and_dense(inputs)), seed_(seed) {
  reference_ = oracle_.roundoff > 0 ? evaluate_widened(program_, wide_, at::kDouble) : truths;
}

Truths Conditioning::probe(std::uint64_t index, double sign) const {
  std::uint64_t ordinal = 0;
  const double step = sign * kProbeStep;
  Inputs moved = wide_.map([&](const std::string&, const at::Tensor& tensor) {
    return moves(tensor) ? perturbed(tensor, step, key_of(seed_, index, ordinal++))
                         : tensor.clone();
  });
  for (const Inputs::Argument& argument : wide_) {
    if (!is_data_scalar(program_, argument.name, argument.value)) continue;
    double scalar = argument.value.toDouble();
    perturb(&scalar, &scalar, 1, step, key_of(seed_, index, ordinal++));
    moved.set(argument.name, scalar);
  }
  try {
    return oracle_.runs_program ? evaluate_owned(program_, moved, at::kDouble)
                                : oracle_.evaluate(program_, moved);
  } catch (const std::exception&) {
    return {};  // a probe that raises is dropped (DESIGN §3.3)
  }
}

Conditioning::Sum Conditioning::empty_sum(const Truth& g) {
  const bool is_float = g.hi.is_floating_point() || g.hi.is_complex();
  const at::Tensor none = at::zeros(g.hi.sizes(), is_float ? at::kDouble : at::kBool);
  if (!is_float) return {.changed = none};
  const bool in_squares =
      is_plain(g) && squares_are_safe(values_of(g).hi, static_cast<std::size_t>(g.hi.numel()));
  return {.total = none, .in_squares = in_squares};
}

void Conditioning::accumulate(std::size_t i, const Truth& at_plus, std::uint64_t index,
                              Truths& at_minus, Sum& sum) const {
  const Truth& g = reference_[i];
  const bool usable = at_plus.hi.defined() && at_plus.hi.sizes() == g.hi.sizes();
  if (sum.changed.defined()) {
    if (usable) sum.changed = sum.changed.logical_or(at_plus.hi.ne(g.hi));
    return;
  }
  const bool plain = usable && sum.in_squares && is_plain(at_plus);
  if (plain && add_squared_differences(values_of(at_plus), values_of(g),
                                       sum.total.mutable_data_ptr<double>(),
                                       static_cast<std::size_t>(g.hi.numel()))) {
    return;  // finite everywhere, as is usual
  }
  const at::Tensor d = usable ? difference(at_plus, g) : at::full(g.hi.sizes(), kNaN, at::kDouble);
  const at::Tensor bad = d.isfinite().logical_not();
  // What is left to add: the retried elements, or all where no square was added yet.
  at::Tensor rest = plain ? d.masked_fill(bad.logical_not(), 0.0) : d;
  if (bad.logical_and(g.hi.isfinite()).any().item<bool>()) {  // retried with -xi
    if (at_minus.empty()) at_minus = probe(index, -1.0);
    if (i < at_minus.size() && at_minus[i].hi.sizes() == g.hi.sizes()) {
      rest = at::where(bad, difference(at_minus[i], g), rest);
    }
  }
  const at::Tensor dropped = rest.isfinite().logical_not();
  rest = rest.masked_fill(dropped, 0.0);
  sum.total = sum.in_squares ? sum.total + rest.square() : at::hypot(sum.total, rest);
  sum.dropped = sum.dropped.defined() ? sum.dropped + dropped : dropped.to(at::kDouble);
}

void Conditioning::probe_round() {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Sum> sums;
  for (const Truth& g : reference_) sums.push_back(empty_sum(g));
  for (int k = 0; k < kProbes; ++k) {
    const auto index = static_cast<std::uint64_t>(rounds_) * kProbes + static_cast<unsigned>(k) + 1;
    const Truths at_plus = probe(index, 1.0);
    Truths at_minus;
    for (std::size_t i = 0; i < reference_.size(); ++i) {
      accumulate(i, i < at_plus.size() ? at_plus[i] : Truth{}, index, at_minus, sums[i]);
    }
  }
  const bool first = rounds_++ == 0;
  spread_.resize(reference_.size());
  changed_.resize(reference_.size());
  for (std::size_t i = 0; i < reference_.size(); ++i) {
    if (sums[i].changed.defined()) {
      changed_[i] = first ? sums[i].changed : changed_[i].logical_or(sums[i].changed);
    } else {
      const at::Tensor estimate = root_mean_square(sums[i]);
      spread_[i] = first ? estimate : at::fmax(spread_[i], estimate);
    }
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// 0/0 where every probe was dropped: NaN, "compare classes only".
at::Tensor Conditioning::root_mean_square(Sum& sum) {
  const double all = kProbes;
  if (!sum.dropped.defined()) {
    return sum.in_squares ? sum.total.div_(all).sqrt_() : sum.total.div_(std::sqrt(all));
  }
  const at::Tensor count = all - sum.dropped;
  return sum.in_squares ? sum.total.div_(count).sqrt_() : sum.total.div_(count.sqrt());
}

const at::Tensor& Conditioning::spread(std::size_t i) {
  if (rounds_ == 0) probe_round();
  return spread_[i];
}

const at::Tensor& Conditioning::changed(std::size_t i) {
  if (rounds_ == 0) probe_round();
  return changed_[i];
}

void Conditioning::refine() {
  if (rounds_ == 0) probe_round();
  probe_round();
}

}  // namespace plumb
