#include "bench/verdict/rules.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace plumb::bench {
namespace {

using Values = std::vector<double>;

Opinion alarm_if(bool alarm) { return alarm ? Opinion::alarm : Opinion::pass; }

bool is_half(const Sample& s) { return s.format != Format::f32; }

/// |a − e| ≤ atol + rtol |e|, equal infinities agree, NaN never does unless `equal_nan`.
bool all_close(const Values& actual, const Values& expected, double rtol, double atol,
               bool equal_nan = false) {
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double a = actual[i], e = expected[i];
    if (a == e || (equal_nan && std::isnan(a) && std::isnan(e))) continue;
    if (!(std::isfinite(a) && std::isfinite(e))) return false;
    if (!(std::abs(a - e) <= atol + rtol * std::abs(e))) return false;
  }
  return true;
}

/// max |a − e|; equal values, infinities too, count 0. NaN where any difference is NaN.
double max_error(const Values& actual, const Values& expected, const Values& rounded) {
  double worst = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == rounded[i] && std::isinf(actual[i])) continue;
    const double error = std::abs(actual[i] - expected[i]);
    if (std::isnan(error)) return error;
    worst = std::max(worst, error);
  }
  return worst;
}

/// torch.testing.assert_close with the defaults of the dtype.
Opinion assert_close(const Sample& s) {
  const double rtol = s.format == Format::f32 ? 1.3e-6 : s.format == Format::f16 ? 1e-3 : 1.6e-2;
  return alarm_if(!all_close(s.output, s.rounded, rtol, 1e-5));
}

bool infinite_or_max(float value) { return std::isinf(value) || std::abs(value) == FLT_MAX; }

/// llama.cpp test-backend-ops: NMSE, products formed in float.
Opinion llama_nmse(const Sample& s) {
  double error = 0, size = 0;
  for (std::size_t i = 0; i < s.output.size(); ++i) {
    const auto y = static_cast<float>(s.output[i]), g = static_cast<float>(s.rounded[i]);
    if (std::isnan(y) || std::isnan(g)) return Opinion::alarm;
    if (infinite_or_max(y) != infinite_or_max(g)) return Opinion::alarm;
    if (infinite_or_max(y) && std::signbit(y) != std::signbit(g)) return Opinion::alarm;
    error += (g - y) * (g - y);
    size += g * g;
  }
  const bool lenient = s.operation == "gemm" || s.operation == "attention";
  return alarm_if(error / size > (lenient ? 5e-4 : 1e-7));
}

/// Polygraphy: |a − e| ≤ 1e-5 or relative ≤ 1e-5; equal infinities fail by default.
Opinion polygraphy(const Sample& s) {
  for (std::size_t i = 0; i < s.output.size(); ++i) {
    const double error = std::abs(s.output[i] - s.rounded[i]);
    if (!(error <= 1e-5 || error / std::abs(s.rounded[i]) <= 1e-5)) return Opinion::alarm;
  }
  return Opinion::pass;
}

double root_mean_square(const Values& a, const Values& g) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - g[i]) * (a[i] - g[i]);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

/// torch._dynamo.utils.same with an fp64 reference, tol 1e-4.
Opinion dynamo_same(const Sample& s) {
  constexpr double kTol = 1e-4;
  if (all_close(s.output, s.eager, kTol, kTol, /*equal_nan=*/true)) return Opinion::pass;
  const double eager = root_mean_square(s.eager, s.truth);
  const double output = root_mean_square(s.output, s.truth);
  if (std::isnan(eager) && !std::isnan(output)) return Opinion::pass;
  const double multiplier = is_half(s) || s.output.size() < 1000 ? 3 : 2;
  return alarm_if(!(output <= multiplier * eager + kTol / 10));
}

/// FlashAttention's tests: twice the error of the plain low-precision run, plus the rounding of
/// (g + 0.3 − 0.3).
Opinion flash_attention(const Sample& s) {
  double floor = 0;
  for (const double g : s.rounded) {
    if (std::isinf(g)) continue;
    const double shifted = round_to(s.format, round_to(s.format, g + 0.3) - 0.3);
    floor = std::max(floor, std::abs(shifted - g));
  }
  const double allowed = 2 * max_error(s.eager, s.truth, s.rounded) + 2 * floor;
  return alarm_if(!(max_error(s.output, s.truth, s.rounded) <= allowed));
}

/// KernelBench: allclose with eager, 1e-4 in f32, 1e-2 in half types.
Opinion kernel_bench(const Sample& s) {
  const double tolerance = is_half(s) ? 1e-2 : 1e-4;
  return alarm_if(!all_close(s.output, s.eager, tolerance, tolerance));
}

double share_beyond(const Sample& s, double relative) {
  std::size_t beyond = 0;
  for (std::size_t i = 0; i < s.output.size(); ++i) {
    if (s.output[i] == s.rounded[i]) continue;
    const double error = std::abs(s.output[i] - s.rounded[i]) / std::abs(s.rounded[i]);
    if (!(error < relative)) ++beyond;
  }
  return static_cast<double>(beyond) / static_cast<double>(s.output.size());
}

double cosine(const Values& a, const Values& b) {
  double ab = 0, aa = 0, bb = 0, top = 0;
  for (std::size_t i = 0; i < a.size(); ++i) top = std::max({top, std::abs(a[i]), std::abs(b[i])});
  if (top == 0) return 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i] / top, y = b[i] / top;
    ab += x * y, aa += x * x, bb += y * y;
  }
  return ab / std::sqrt(aa * bb);
}

/// msprobe acc_check, first stage: cosine, absolute error, then the share of elements off by 1 %
/// (half types) or 0.1 % (f32). Its warnings do not count as alarms.
Opinion msprobe(const Sample& s) {
  for (std::size_t i = 0; i < s.output.size(); ++i) {
    const bool same = s.output[i] == s.rounded[i];
    if (!same && !(std::isfinite(s.output[i]) && std::isfinite(s.rounded[i]))) {
      return Opinion::alarm;
    }
  }
  const bool in_range =
      std::all_of(s.rounded.begin(), s.rounded.end(), [](double g) { return std::isfinite(g); });
  if (in_range && !(cosine(s.output, s.rounded) > 0.99)) return Opinion::alarm;
  if (max_error(s.output, s.rounded, s.rounded) < 1e-3) return Opinion::pass;
  const double level = is_half(s) ? 1e-2 : 1e-3;
  return alarm_if(!(share_beyond(s, level) < level));
}

/// Composable Kernel: n·u. rtol = max(n·u_acc, u), atol the same at the exponent of the largest.
Opinion terms_times_roundoff(const Sample& s) {
  const double rounding =
      std::max(traits(s.format).unit_roundoff, static_cast<double>(s.terms) * 0x1p-24);
  double largest = 0;
  for (const double g : s.rounded) {
    if (std::isfinite(g)) largest = std::max(largest, std::abs(g));
  }
  const double atol = largest > 0 ? std::ldexp(rounding, std::ilogb(largest)) : 0;
  return alarm_if(!all_close(s.output, s.rounded, rounding, atol));
}

/// torchtitan: twice the error of eager plus the rounding of the output; no verdict where eager
/// itself is off by more than a tenth of the largest value.
Opinion torchtitan(const Sample& s) {
  double largest = 0;
  for (const double g : s.rounded) {
    if (std::isfinite(g)) largest = std::max(largest, std::abs(g));
  }
  const double eager = max_error(s.eager, s.truth, s.rounded);
  if (!(eager <= 0.1 * largest)) return Opinion::undecided;
  const double rounding = traits(s.format).unit_roundoff * largest;
  return alarm_if(!(max_error(s.output, s.truth, s.rounded) <= 2 * eager + rounding));
}

}  // namespace

const std::vector<Rule>& peer_rules() {
  static const std::vector<Rule> rules = {
      {"torch assert_close", assert_close},   {"llama.cpp NMSE", llama_nmse},
      {"Polygraphy 1e-5", polygraphy},        {"dynamo same", dynamo_same},
      {"FlashAttention 2x", flash_attention}, {"KernelBench", kernel_bench},
      {"msprobe acc_check", msprobe},         {"n u (CK)", terms_times_roundoff},
      {"torchtitan 2x + 10 %", torchtitan},
  };
  return rules;
}

}  // namespace plumb::bench
