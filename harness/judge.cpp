#include "harness/judge.hpp"

#include <cmath>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"

namespace plumb {
namespace {

constexpr double kIllConditioned = 0.1;  // rho above which agreement is no evidence
constexpr double kDoubleRoundoff = 0x1p-53;
constexpr int kMostRounds = 8;  // of probes, before a near miss is an alarm

/// y and g as plain contiguous arrays the comparison reads.
struct Arrays {
  at::Tensor y;
  at::Tensor hi;
  at::Tensor lo;
  Format format = Format::f32;
};

at::Tensor plain(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.resolve_conj().resolve_neg();
  return (dense.is_complex() ? at::view_as_real(dense) : dense).contiguous();
}

/// A complex number is NaN if either part is: make both parts say so.
at::Tensor nan_in_both_parts(const at::Tensor& complex) {
  const at::Tensor parts = plain(complex);
  return parts.masked_fill(parts.isnan().any(-1, /*keepdim=*/true), NAN);
}

Arrays arrays_of(const at::Tensor& y, const Truth& truth) {
  Arrays arrays;
  if (y.is_complex()) {
    arrays.y = nan_in_both_parts(y);
    arrays.hi = nan_in_both_parts(truth.hi);
  } else {
    arrays.y = plain(y);
    arrays.hi = plain(truth.hi);
    if (truth.lo.defined()) arrays.lo = plain(truth.lo);
  }
  const auto format = format_of(arrays.y.scalar_type());
  if (!format) arrays.y = arrays.y.to(at::kFloat);  // fp8: every value is a float
  arrays.format = format.value_or(Format::f32);
  return arrays;
}

/// For complex outputs B is that of the modulus, for both parts: hand it over as the spread.
std::pair<at::Tensor, BoundTerms> spread_and_bound(const Truth& truth, const at::Tensor& s,
                                                   BoundTerms bound) {
  if (!truth.hi.is_complex()) return {s, bound};
  at::Tensor b = truth.hi.abs().nan_to_num(0.0, 0.0, 0.0).mul(bound.relative).add(bound.absolute);
  if (s.defined()) b = b + s * bound.conditional;
  return {at::stack({b, b}, -1), {.relative = 0, .conditional = 1, .absolute = 0}};
}

Distances distances_of(const Arrays& arrays, const Truth& truth, const at::Tensor& spread,
                       const BoundTerms& terms) {
  auto [s, bound] = spread_and_bound(truth, spread, terms);
  if (s.defined()) s = s.contiguous();
  return compare(arrays.format, arrays.y.const_data_ptr(),
                 {.hi = arrays.hi.const_data_ptr<double>(),
                  .lo = arrays.lo.defined() ? arrays.lo.const_data_ptr<double>() : nullptr},
                 s.defined() ? s.const_data_ptr<double>() : nullptr, bound,
                 static_cast<std::size_t>(arrays.y.numel()));
}

bool keeps(const Distances& d) { return d.wrong_nonfinite == 0 && d.masked == 0 && d.r <= 1; }

std::vector<std::int64_t> unravel(std::size_t flat, at::IntArrayRef sizes, bool complex) {
  std::vector<std::int64_t> index(sizes.size());
  auto rest = static_cast<std::int64_t>(complex ? flat / 2 : flat);
  for (std::size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 0) return {};
    index[d] = rest % sizes[d];
    rest /= sizes[d];
  }
  return index;
}

/// The element a person should look at first for this verdict.
std::size_t telling_element(Verdict verdict, const Distances& d) {
  if (verdict == Verdict::nonfinite) return d.first_wrong_nonfinite.value_or(d.worst);
  if (verdict == Verdict::masked) return d.first_masked.value_or(d.worst);
  if (verdict == Verdict::flushed) return d.first_flushed.value_or(d.worst);
  if (verdict == Verdict::overflow) return d.first_overflowed.value_or(d.worst);
  return d.worst;
}

Verdict verdict_of(const Distances& d, bool exact_promised) {
  if (d.wrong_nonfinite > 0) return Verdict::nonfinite;
  if (d.masked > 0) return Verdict::masked;
  if (d.r > 1 && d.flushed > 0) return Verdict::flushed;
  if (d.r > 1 || (exact_promised && !d.exact)) return Verdict::unstable;
  if (d.overflowed > 0) return Verdict::overflow;
  if (d.exact) return Verdict::exact;
  return d.rho > kIllConditioned ? Verdict::ill_conditioned : Verdict::stable;
}

/// Judges a floating or complex output; one instance per output.
class FloatJudge {
 public:
  FloatJudge(const Output& output, const Truth& truth, const Contract& contract, const Jury& jury)
      : output_(output),
        truth_(truth),
        contract_(contract),
        jury_(jury),
        arrays_(arrays_of(output.tensor, truth)) {
    result_.where = output.name;
    result_.numeric = true;
  }

  Judgement run() {
    bound_ = jury_.tolerance.value_or(fused_bound(contract_));
    result_.distances = distances_of(arrays_, truth_, {}, bound_);
    const bool may_probe = !jury_.tolerance && contract_.promise != Promise::exact;
    if (!keeps(result_.distances) && may_probe) with_probe();
    if (result_.distances.wrong_nonfinite > 0 && result_.probed) excuse_undecided();
    conclude();
    return std::move(result_);
  }

 private:
  void with_probe() {
    Conditioning* conditioning = jury_.conditioning ? jury_.conditioning() : nullptr;
    if (conditioning == nullptr) {
      // Nothing can be probed (values given, no oracle): the cheap bound is all there is.
      if (contract_.promise == Promise::composite) compare_composite();
      return;
    }
    result_.probed = true;
    measure(*conditioning, 1);
    // Of a million elements some draw six small xi and an S ten times too low, twice six and an S
    // three times too low: an alarm is confirmed with new ones, a near miss with several sets.
    if (result_.distances.r > 1) measure(*conditioning, 2);
    for (int rounds = 3; rounds <= kMostRounds && is_unsettled(); ++rounds) {
      measure(*conditioning, rounds);
    }
    if (result_.distances.r > 1) measure_at_roundoff(*conditioning);
  }

  /// An answer that is right for inputs moved by as much as the bound allows for is a stable one,
  /// also where h shows nothing of it: beyond a kink, or in the second order.
  void measure_at_roundoff(Conditioning& conditioning) {
    spread_ = at::fmax(spread_, conditioning.spread_at(jury_.output, step_of_bound()));
    compare_fused();
    if (!keeps(result_.distances) && contract_.promise == Promise::composite) compare_composite();
  }

  double step_of_bound() const {
    const bool composite = contract_.promise == Promise::composite;
    return kLambda *
           std::max(contract_.accumulator_roundoff, composite ? contract_.output_roundoff : 0);
  }

  /// Where an error of the size of the bound decides whether NaN or which infinity is right, each
  /// of them is.
  void excuse_undecided() {
    if (output_.tensor.is_complex()) return;
    const at::Tensor undecided = jury_.conditioning()->undecided(jury_.output, step_of_bound());
    const at::Tensor before = arrays_.y;
    const at::Tensor excused = undecided.logical_and(before.isfinite().logical_not());
    if (!excused.any().item<bool>()) return;
    arrays_.y = at::where(excused, arrays_.hi.to(before.scalar_type()), before);
    result_.distances = distances_of(arrays_, truth_, spread_, bound_);
    was_undecided_ = true;
  }

  /// A near miss, or an element of which nothing is known: where a tie among huge scores decides
  /// which value comes out, few probes may all let the same one win.
  bool is_unsettled() const {
    const Distances& d = result_.distances;
    return d.r > 1 && (d.r <= 4 || d.rho > kIllConditioned);
  }

  void measure(Conditioning& conditioning, int rounds) {
    spread_ = conditioning.spread(jury_.output, rounds);
    compare_fused();
    if (keeps(result_.distances) || contract_.promise != Promise::composite) return;
    if (jury_.is_gradient) spread_ = conditioning.spread_with_saved(jury_.output, rounds);
    compare_composite();
  }

  void compare_fused() {
    bound_ = fused_bound(contract_);
    result_.distances = distances_of(arrays_, truth_, spread_, bound_);
    result_.lost_bits.reset();
  }

  void compare_composite() {
    const double fused = result_.distances.r;
    bound_ = composite_bound(contract_);
    result_.distances = distances_of(arrays_, truth_, spread_, bound_);
    if (fused > 1 && keeps(result_.distances)) result_.lost_bits = std::log2(fused);
  }

  void conclude() {
    Distances& d = result_.distances;
    const bool exact_promised = contract_.promise == Promise::exact && !jury_.tolerance;
    result_.verdict = verdict_of(d, exact_promised);
    if (was_undecided_ && worse(Verdict::ill_conditioned, result_.verdict)) {
      result_.verdict = Verdict::ill_conditioned;
      result_.message = "a rounding decides whether NaN or an infinity is right";
    }
    if (result_.verdict == Verdict::unstable && d.r <= 1) d.r = INFINITY;  // B = 0 was promised
    if (d.r > 1) {
      const bool normwise = d.sum_sq_error > d.sum_sq_bound;
      result_.scope = normwise ? "normwise" : "componentwise";
    }
    result_.worst_index = unravel(telling_element(result_.verdict, d), output_.tensor.sizes(),
                                  output_.tensor.is_complex());
    if (jury_.sign_of_zero && result_.verdict > Verdict::unstable) check_zero_signs();
    if (jury_.check_vacuity && !output_.tensor.is_complex() && could_not_fail()) {
      result_.verdict = Verdict::vacuous;
      result_.message = "zeros, ones, the first input and doubled values would pass as well";
    }
  }

  /// `ill-conditioned` says that this precision cannot answer. Where even double's bound would pass
  /// any mutant, no precision can: nothing was tested.
  bool could_not_fail() const {
    BoundTerms bound = bound_;
    if (result_.verdict == Verdict::ill_conditioned) {
      Contract in_double = contract_;
      in_double.output_roundoff = in_double.accumulator_roundoff = kDoubleRoundoff;
      bound = fused_bound(in_double);
    } else if (result_.verdict != Verdict::stable && result_.verdict != Verdict::exact) {
      return false;
    }
    return is_vacuous(arrays_.y, {truth_.name, arrays_.hi, arrays_.lo}, spread_, bound,
                      jury_.first_input);
  }

  void check_zero_signs() {
    const at::Tensor y = arrays_.y.to(at::kDouble);
    const at::Tensor wrong =
        y.eq(0).logical_and(arrays_.hi.eq(0)).logical_and(y.signbit().ne(arrays_.hi.signbit()));
    const at::Tensor places = wrong.flatten().nonzero();
    if (places.numel() == 0) return;
    result_.verdict = Verdict::unstable;
    result_.message = "the sign of zero is wrong";
    result_.worst_index = unravel(static_cast<std::size_t>(places[0].item<std::int64_t>()),
                                  output_.tensor.sizes(), output_.tensor.is_complex());
  }

  const Output& output_;
  const Truth& truth_;
  const Contract& contract_;
  const Jury& jury_;
  Arrays arrays_;
  BoundTerms bound_;
  at::Tensor spread_;
  bool was_undecided_ = false;  // and what is right taken for what was computed
  Judgement result_;
};

/// Integers and booleans: equal, or different where a probe changes that element too, or wrong.
Judgement judge_discrete(const Output& output, const Truth& truth, const Jury& jury) {
  Judgement result;
  result.where = output.name;
  const at::Tensor differs = output.tensor.ne(truth.hi.to(output.tensor.scalar_type()));
  if (!differs.any().item<bool>()) return result;
  at::Tensor excused = at::zeros_like(differs);
  if (Conditioning* conditioning = jury.conditioning ? jury.conditioning() : nullptr) {
    result.probed = true;
    excused = conditioning->changed(jury.output);
  }
  const at::Tensor wrong = differs.logical_and(excused.logical_not());
  const at::Tensor shown = wrong.any().item<bool>() ? wrong : differs;
  result.verdict = wrong.any().item<bool>() ? Verdict::unstable : Verdict::ill_conditioned;
  const auto flat = shown.flatten().nonzero().flatten()[0].item<std::int64_t>();
  result.worst_index = unravel(static_cast<std::size_t>(flat), output.tensor.sizes(), false);
  result.message = std::to_string(differs.sum().item<std::int64_t>()) + " of " +
                   std::to_string(differs.numel()) + " " + dtype_name(output.tensor.scalar_type()) +
                   " values differ";
  return result;
}

std::string shape_text(const at::Tensor& tensor) {
  std::string text = dtype_name(tensor.scalar_type()) + "[";
  for (const std::int64_t size : tensor.sizes()) {
    if (text.back() != '[') text += ",";
    text += std::to_string(size);
  }
  return text + "]";
}

bool is_float_like(const at::Tensor& tensor) {
  return c10::isFloatingType(tensor.scalar_type()) || tensor.is_complex();
}

}  // namespace

bool is_alarm(Verdict verdict) {
  return verdict >= Verdict::nonfinite && verdict <= Verdict::unstable;
}

bool is_near_miss(const Judgement& judged) {
  return judged.verdict == Verdict::unstable && judged.numeric && judged.distances.r > 1 &&
         judged.distances.r <= 2;
}

Judgement judge(const Output& output, const Truth& truth, const Contract& contract,
                const Jury& jury) {
  Output dense = output;
  if (dense.tensor.is_quantized()) dense.tensor = dense.tensor.dequantize();
  const bool same_kind = is_float_like(dense.tensor) == is_float_like(truth.hi) &&
                         dense.tensor.is_complex() == truth.hi.is_complex();
  if (dense.tensor.sizes() != truth.hi.sizes() || !same_kind) {
    Judgement wrong;
    wrong.verdict = Verdict::error;
    wrong.where = output.name;
    wrong.message =
        output.name + " is " + shape_text(dense.tensor) + ", expected " + shape_text(truth.hi);
    return wrong;
  }
  if (dense.tensor.numel() == 0) return {.where = output.name};
  if (!is_float_like(dense.tensor)) return judge_discrete(dense, truth, jury);
  return FloatJudge(dense, truth, contract, jury).run();
}

bool oracle_is_weak(const Truth& oracle, const Truth& wider, const BoundTerms& bound) {
  const at::Tensor b = wider.hi.abs() * bound.relative + bound.absolute;
  return (oracle.hi - wider.hi).abs().gt(b / 16).any().item<bool>();
}

}  // namespace plumb
