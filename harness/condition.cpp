#include "harness/condition.hpp"

#include <chrono>
#include <limits>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "harness/dtype.hpp"

namespace plumb {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

at::Tensor as_real(const at::Tensor& tensor) {
  return tensor.is_complex() ? at::view_as_real(tensor) : tensor;
}

/// x(1 + h xi) with xi uniform in [-1, 1]; zeros, infinities and NaN stay what they are.
at::Tensor perturbed(const at::Tensor& tensor, double step, at::Generator& generator) {
  at::Tensor factor = at::empty(as_real(tensor).sizes(), at::kDouble);
  factor.uniform_(-1.0, 1.0, generator);
  factor.mul_(step).add_(1.0).mul_(as_real(tensor.resolve_conj().resolve_neg()));
  return tensor.is_complex() ? at::view_as_complex(factor) : factor;
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

}  // namespace

Conditioning::Conditioning(const Oracle& oracle, const Program& program, const Inputs& inputs,
                           const Truths& truths, std::uint64_t seed)
    : oracle_(oracle), program_(program), wide_(cast(inputs, at::kDouble)), seed_(seed) {
  reference_ = oracle_.roundoff > 0 ? evaluate_widened(program_, wide_, at::kDouble) : truths;
}

Truths Conditioning::probe(std::uint64_t index, double sign) const {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(seed_ * 0x9E3779B97F4A7C15ULL + index);
  Inputs moved = wide_.map([&](const std::string&, const at::Tensor& tensor) {
    const bool moves = tensor.is_floating_point() || tensor.is_complex();
    return moves && !tensor.is_quantized() ? perturbed(tensor, sign * kProbeStep, generator) : tensor;
  });
  for (const Inputs::Argument& argument : wide_) {
    if (!is_data_scalar(program_, argument.name, argument.value)) continue;
    const double xi = at::rand({}, generator, at::kDouble).item<double>() * 2 - 1;
    moved.set(argument.name, argument.value.toDouble() * (1 + sign * kProbeStep * xi));
  }
  try {
    return oracle_.roundoff > 0 ? evaluate_widened(program_, moved, at::kDouble)
                                : oracle_.evaluate(program_, moved);
  } catch (const std::exception&) {
    return {};  // a probe that raises is dropped (DESIGN §3.3)
  }
}

void Conditioning::accumulate(std::size_t i, const Truth& at_plus, std::uint64_t index,
                              Truths& at_minus, Sum& sum) const {
  const Truth& g = reference_[i];
  const bool usable = at_plus.hi.defined() && at_plus.hi.sizes() == g.hi.sizes();
  if (!g.hi.is_floating_point() && !g.hi.is_complex()) {
    if (usable) sum.changed = sum.changed.logical_or(at_plus.hi.ne(g.hi));
    return;
  }
  at::Tensor d = usable ? difference(at_plus, g) : at::full(g.hi.sizes(), kNaN, at::kDouble);
  at::Tensor bad = d.isfinite().logical_not();
  const at::Tensor g_finite = g.hi.isfinite();
  if (bad.logical_and(g_finite).any().item<bool>()) {  // retried with -xi
    if (at_minus.empty()) at_minus = probe(index, -1.0);
    if (i < at_minus.size() && at_minus[i].hi.sizes() == g.hi.sizes()) {
      d = at::where(bad, difference(at_minus[i], g), d);
      bad = d.isfinite().logical_not();
    }
  }
  sum.norm = at::hypot(sum.norm, d.masked_fill(bad, 0.0));
  sum.count.add_(bad.logical_not());
}

void Conditioning::probe_round() {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Sum> sums;
  for (const Truth& g : reference_) {
    sums.push_back({at::zeros(g.hi.sizes(), at::kDouble), at::zeros(g.hi.sizes(), at::kDouble),
                    at::zeros(g.hi.sizes(), at::kBool)});
  }
  for (int k = 0; k < kProbes; ++k) {
    const auto index = static_cast<std::uint64_t>(rounds_ * kProbes + k + 1);
    const Truths at_plus = probe(index, 1.0);
    Truths at_minus;
    for (std::size_t i = 0; i < reference_.size(); ++i) {
      accumulate(i, i < at_plus.size() ? at_plus[i] : Truth{}, index, at_minus, sums[i]);
    }
  }
  const bool first = rounds_++ == 0;
  for (std::size_t i = 0; i < reference_.size(); ++i) {
    // 0/0 where every probe was dropped: NaN, "compare classes only".
    const at::Tensor estimate = sums[i].norm.div_(sums[i].count.sqrt_());
    if (first) {
      spread_.push_back(estimate);
      changed_.push_back(sums[i].changed);
    } else {
      spread_[i] = at::fmax(spread_[i], estimate);
      changed_[i] = changed_[i].logical_or(sums[i].changed);
    }
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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
