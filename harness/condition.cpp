#include "harness/condition.hpp"

#include <chrono>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "harness/probe.hpp"
#include "harness/process_clock.hpp"
#include "harness/raised.hpp"
#include "harness/result_traits.hpp"
#include "harness/saved.hpp"

namespace plumb {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kCotangents = std::uint64_t{1} << 32;  // ordinals beyond those of inputs

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

at::Tensor whole_part(const at::Tensor& tensor) {
  return tensor.is_complex() ? at::view_as_complex(at::view_as_real(tensor).trunc())
                             : tensor.trunc();
}

/// x(1 + h xi) with xi uniform in [-1, 1]; zeros, infinities and NaN stay what they are.
at::Tensor perturbed(const at::Tensor& tensor, double step, std::uint64_t key) {
  const at::Tensor from = as_real(tensor);
  const at::Tensor moved = at::empty(from.sizes(), at::kDouble);
  perturb(from.const_data_ptr<double>(), moved.mutable_data_ptr<double>(),
          static_cast<std::size_t>(from.numel()), step, key);
  return tensor.is_complex() ? at::view_as_complex(moved) : moved;
}

/// The largest 2-norm of the matrices of a tensor (a vector is one column), its elements finite.
double largest_norm(const at::Tensor& tensor) {
  const at::Tensor matrices = tensor.dim() >= 2 ? tensor : tensor.unsqueeze(-1);
  return at::linalg_svdvals(matrices).max().item<double>();
}

/// How far xi must move each element so that matrices move by about their 2-norm: independent
/// numbers of standard deviation s make a matrix of 2-norm s(sqrt m + sqrt n), those of xi have
/// 1/sqrt 3. At least the largest |x|, in units of which it is given.
double amplitude(const at::Tensor& scaled) {
  constexpr double kSqrt3 = 1.7320508075688772;
  if (scaled.dim() == 0) return 1;
  const auto m = static_cast<double>(scaled.dim() >= 2 ? scaled.size(-2) : scaled.size(0));
  const auto n = static_cast<double>(scaled.dim() >= 2 ? scaled.size(-1) : 1);
  return std::max(1.0, kSqrt3 * largest_norm(scaled) / (std::sqrt(m) + std::sqrt(n)));
}

/// x + E, where the 2-norm of E is about h times that of x and no element of E is held below h
/// times the largest finite |x|.
at::Tensor perturbed_in_norm(const at::Tensor& tensor, double step, std::uint64_t key) {
  if (tensor.numel() == 0) return tensor.clone();
  const at::Tensor largest = tensor.abs().nan_to_num(0.0, 0.0, 0.0).max();
  const at::Tensor ones = at::ones_like(tensor);
  const at::Tensor moves = (perturbed(ones, step, key) - ones) * largest;
  if (largest.item<double>() == 0) return tensor + moves;
  const at::Tensor finite = at::where(tensor.isfinite(), tensor, at::zeros_like(tensor));
  return tensor + moves * amplitude(finite / largest);
}

/// Where neither is finite and they are not the same of NaN and the two infinities.
at::Tensor are_other_nonfinites(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor finite = a.isfinite().logical_or(b.isfinite());
  const at::Tensor both_nan = a.isnan().logical_and(b.isnan());
  return a.ne(b).logical_and(both_nan.logical_or(finite).logical_not());
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

/// `held` where it is far beyond what `found`, which has it as a part, is by chance, or where there
/// is no `found`.
at::Tensor unless_saturated(const at::Tensor& found, const at::Tensor& held) {
  const at::Tensor saturated = held.gt(16 * found).logical_or(found.isnan());
  return at::where(saturated, held, found);
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

Inputs Conditioning::moved_inputs(const Probe& probe) const {
  if (probe.holds_inputs) return private_copy(wide_);
  std::uint64_t ordinal = 0;
  const auto next_key = [&] { return key_of(seed_, probe.number, ordinal++); };
  Inputs moved = wide_.map([&](const std::string&, const at::Tensor& tensor) {
    if (!moves(tensor)) return tensor.clone();
    const at::Tensor values = program_.traits.normwise
                                  ? perturbed_in_norm(tensor, probe.step, next_key())
                                  : perturbed(tensor, probe.step, next_key());
    return probe.holds_whole_numbers ? at::where(at::eq(tensor, whole_part(tensor)), tensor, values)
                                     : values;
  });
  for (const Inputs::Argument& argument : wide_) {
    if (!is_data_scalar(program_, argument.name, argument.value)) continue;
    double scalar = argument.value.toDouble();
    perturb(&scalar, &scalar, 1, probe.step, next_key());
    moved.set(argument.name, scalar);
  }
  return moved;
}

/// The cotangent is data of a backward pass like any other.
Truths Conditioning::run_backward(const Probe& probe, const Inputs& moved) const {
  std::uint64_t ordinal = kCotangents;
  const auto next_key = [&] { return key_of(seed_, probe.number, ordinal++); };
  const auto move = [&](const at::Tensor& tensor) {
    return perturbed(tensor.contiguous(), probe.step, next_key());
  };
  // Vectors are right in norm only, zeros of them too. Not so factors that LU keeps in one matrix,
  // of which one is of size 1 and the other of the size of the input.
  const bool in_norm = result_traits_of(program_.name).saves_vectors;
  const auto move_saved = [&](const at::Tensor& tensor) {
    return in_norm ? perturbed_in_norm(tensor.contiguous(), probe.step, next_key()) : move(tensor);
  };
  Program backward = program_;
  backward.move_cotangent = move;
  if (!probe.moves_saved) return evaluate_owned(backward, moved, at::kDouble);
  const SavedResults saved(moved, move_saved);
  return evaluate_owned(backward, moved, at::kDouble);
}

/// A probe that raises is dropped (docs/verdict.md), after another try: where arguments beyond a
/// domain raise, it ends at a whole number (probabilities at 1), and those are held.
Truths Conditioning::run(const Probe& probe) const {
  const Inputs moved = moved_inputs(probe);
  try {
    if (!oracle_.runs_program) return oracle_.evaluate(program_, moved);
    if (!program_.grad.empty()) return run_backward(probe, moved);
    return evaluate_owned(program_, moved, at::kDouble);
  } catch (const std::exception& error) {
    if (is_out_of_memory(error)) throw;  // says nothing of the program
    if (probe.holds_whole_numbers) return {};
  }
  Probe holding = probe;
  holding.holds_whole_numbers = true;
  return run(holding);
}

Conditioning::Sum Conditioning::empty_sum(const Truth& g) {
  const bool is_float = g.hi.is_floating_point() || g.hi.is_complex();
  const at::Tensor none = at::zeros(g.hi.sizes(), is_float ? at::kDouble : at::kBool);
  if (!is_float) return {.changed = none};
  const bool in_squares =
      is_plain(g) && squares_are_safe(values_of(g).hi, static_cast<std::size_t>(g.hi.numel()));
  return {.total = none, .in_squares = in_squares};
}

void Conditioning::accumulate(std::size_t i, const Truth& at_plus, Probe probe, Truths& at_minus,
                              Sum& sum) const {
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
    probe.step = -probe.step;
    if (at_minus.empty()) at_minus = run(probe);
    if (i < at_minus.size() && at_minus[i].hi.sizes() == g.hi.sizes()) {
      rest = at::where(bad, difference(at_minus[i], g), rest);
    }
  }
  const at::Tensor dropped = rest.isfinite().logical_not();
  rest = rest.masked_fill(dropped, 0.0);
  sum.total = sum.in_squares ? sum.total + rest.square() : at::hypot(sum.total, rest);
  sum.dropped = sum.dropped.defined() ? sum.dropped + dropped : dropped.to(at::kDouble);
}

/// What `count` probes from `first` on add up to, by output.
std::vector<Conditioning::Sum> Conditioning::sums_of(Probe first, int count) const {
  std::vector<Sum> sums;
  for (const Truth& g : reference_) sums.push_back(empty_sum(g));
  for (int k = 0; k < count; ++k, ++first.number) {
    const Truths at_plus = run(first);
    Truths at_minus;
    for (std::size_t i = 0; i < reference_.size(); ++i) {
      accumulate(i, i < at_plus.size() ? at_plus[i] : Truth{}, first, at_minus, sums[i]);
    }
  }
  return sums;
}

void Conditioning::probe_round(Estimate& estimate) {
  const auto start = std::chrono::steady_clock::now();
  if (program_.sensitivity) {
    std::vector<at::Tensor> spread;
    for (const at::Tensor& s : program_.sensitivity(wide_)) spread.push_back(s * kProbeStep);
    estimate.changed.emplace_back(spread.size());
    estimate.spread.push_back(std::move(spread));
    seconds_ += seconds_since(start);
    return;
  }
  Probe probe{.number = static_cast<std::uint64_t>(estimate.rounds() * kProbes + 1),
              .moves_saved = estimate.moves_saved};
  std::vector<Sum> sums = sums_of(probe);
  std::vector<Sum> held;
  probe.holds_inputs = true;
  if (estimate.moves_saved) held = sums_of(probe);
  std::vector<at::Tensor> spread(reference_.size());
  std::vector<at::Tensor> changed(reference_.size());
  const bool first = estimate.rounds() == 0;
  for (std::size_t i = 0; i < reference_.size(); ++i) {
    if (sums[i].changed.defined()) {
      changed[i] = first ? sums[i].changed : sums[i].changed.logical_or(estimate.changed.back()[i]);
    } else {
      at::Tensor found = root_mean_square(sums[i]);
      if (!held.empty()) found = unless_saturated(found, root_mean_square(held[i]));
      spread[i] = first ? found : at::fmax(found, estimate.spread.back()[i]);
    }
  }
  estimate.spread.push_back(std::move(spread));
  estimate.changed.push_back(std::move(changed));
  seconds_ += seconds_since(start);
}

/// 0/0 where every probe was dropped: NaN, "compare classes only".
at::Tensor Conditioning::root_mean_square(Sum& sum, int of) {
  const double all = of;
  if (!sum.dropped.defined()) {
    return sum.in_squares ? sum.total.div_(all).sqrt_() : sum.total.div_(std::sqrt(all));
  }
  const at::Tensor count = all - sum.dropped;
  return sum.in_squares ? sum.total.div_(count).sqrt_() : sum.total.div_(count.sqrt());
}

/// Where the estimate after so many rounds stands.
std::size_t Conditioning::settled(Estimate& estimate, int rounds) {
  while (estimate.rounds() < rounds) probe_round(estimate);
  return static_cast<std::size_t>(rounds - 1);
}

const at::Tensor& Conditioning::spread(std::size_t i, int rounds) {
  const std::size_t at = settled(plain_, rounds);
  return plain_.spread[at][i];
}

const at::Tensor& Conditioning::spread_with_saved(std::size_t i, int rounds) {
  const std::size_t at = settled(with_saved_, rounds);
  return with_saved_.spread[at][i];
}

const at::Tensor& Conditioning::changed(std::size_t i) {
  return plain_.changed[settled(plain_, 1)][i];
}

const at::Tensor& Conditioning::spread_at(std::size_t i, double step) {
  if (program_.sensitivity) return spread(i);  // of no step
  std::vector<at::Tensor>& spreads = at_step_[step];
  if (!spreads.empty()) return spreads.at(i);
  const auto start = std::chrono::steady_clock::now();
  constexpr int kMany = 2 * kProbes;
  for (Sum& sum : sums_of({.number = 1, .step = step}, kMany)) {
    spreads.push_back(sum.total.defined() ? root_mean_square(sum, kMany) * (kProbeStep / step)
                                          : at::Tensor());
  }
  seconds_ += seconds_since(start);
  return spreads.at(i);
}

at::Tensor Conditioning::undecided(std::size_t i, double step) {
  const auto start = std::chrono::steady_clock::now();
  const at::Tensor& g = reference_[i].hi;
  at::Tensor changes = at::zeros(g.sizes(), at::kBool);
  if (program_.sensitivity) return changes;  // it is not run on moved inputs
  for (int k = 1; k <= 4 * kProbes; ++k) {
    const Truths moved = run({.number = static_cast<std::uint64_t>(k), .step = step});
    if (i >= moved.size() || moved[i].hi.sizes() != g.sizes()) continue;
    changes = changes.logical_or(are_other_nonfinites(moved[i].hi, g));
  }
  seconds_ += seconds_since(start);
  return changes;
}

}  // namespace plumb
