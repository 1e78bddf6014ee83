#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "harness/result.hpp"

namespace plumb::testing {
namespace sample {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInf = std::numeric_limits<double>::infinity();

/// Fills what follows from the rest, as the engine does.
inline Result finish(Result r) {
  const std::string hash = std::to_string(10000000 + 7919 * r.name.size() + 31 * r.arm.size());
  r.id = r.name + "/" + r.arm + "/" + r.op + "/" + r.variant + "/" + r.dtype + "/" + r.device +
         "#" + hash;
  if (r.r && *r.r > 1) r.severity = std::log2(*r.r);
  if (r.replay.empty()) {
    r.replay = "plumb run " + r.name + " --arm " + r.arm + " --dtype " + r.dtype;
  }
  r.ok = is_ok(r);
  return r;
}

inline Series curve(const std::string& name, int points, double (*f)(double)) {
  Series series{name, {}, {}};
  for (int i = 0; i < points; ++i) {
    series.x.push_back(i);
    series.y.push_back(f(i));
  }
  return series;
}

inline std::vector<Result> failures() {
  return {
      {.name = "softmax-no-max",
       .arm = "fixed",
       .op = "aten::softmax.int",
       .dtype = "float16",
       .oracle = "quad",
       .seed = 18446744073709551615u,
       .verdict = Verdict::unstable,
       .expected = {"stable"},
       .where = "output 0",
       .scope = "componentwise",
       .r = 31234.5,
       .rho = 9.8e-4,
       .r_eager = 0.31,
       .max_abs = 0.0123,
       .max_rel = 0.25,
       .max_ulp = 9007199254740993,
       .nmse = 1.5e-9,
       .nan = 0,
       .inf = 0,
       .worst_index = {3, 17},
       .path = {"aten::exp", "aten::sum.dim_IntList", "aten::div.Tensor"},
       .path_hash = "8f14e45f",
       .digest = "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
       .seconds = 0.0123,
       .oracle_seconds = 0.25,
       .message = "the small probabilities are lost: <b>0.0312</b> & \"0.0421\" | *expected*",
       .replay =
           "plumb run softmax-no-max --arm fixed --set 'x=\"a  b\"' --seed 18446744073709551615"},
      {.name = "aten::lgamma",
       .arm = "case",
       .op = "aten::lgamma",
       .dtype = "float32",
       .oracle = "quad",
       .verdict = Verdict::nonfinite,
       .where = "grad:self",
       .r = kInf,
       .rho = kNan,
       .max_abs = kInf,
       .nan = 12,
       .inf = 1,
       .worst_index = {0},
       .message = "NaN at \x1b[31mx = -2\x1b[0m\nsecond line, bad UTF-8: \xff\xc3(",
       .replay = "plumb replay 'out/cases/lgamma `1`.json'"},
      {.name = "batch-norm-backward",
       .arm = "case",
       .op = "aten::native_batch_norm_backward",
       .dtype = "float32",
       .verdict = Verdict::crashed,
       .message = "signal 11 (segmentation fault)",
       .replay = "plumb replay tests/cases/batch_norm_backward.json"},
      {.name = "sort-contract",
       .arm = "case",
       .op = "aten::sort",
       .dtype = "int64",
       .verdict = Verdict::vacuous,
       .message = "all zeros pass: the check could not have failed"},
  };
}

inline std::vector<Result> expected_failures() {
  Result scaler{.name = "fp16-no-scaler",
                .arm = "faulty",
                .op = "training/mlp",
                .dtype = "float16",
                .oracle = "fp64",
                .verdict = Verdict::invariant_broken,
                .expected = {"invariant-broken"},
                .where = "zero-gradients",
                .message = "61 % of the gradients are exactly zero (limit 5 %)"};
  scaler.series = {
      curve("gradient norm by step: no scaler", 40,
            [](double i) { return i < 25 ? std::exp2(-2.0 - i) : 0.0; }),
      curve("gradient norm by step: fp64", 40, [](double i) { return std::exp2(-2.0 - 0.1 * i); }),
      curve("loss by step", 40, [](double i) { return i == 30 ? kNan : 2.5 - 0.0625 * i; })};
  scaler.tables = {{"Zero gradients by layer",
                    {"layer", "elements", "share of zeros", "largest"},
                    {{Cell("embed|tokens"), Cell(36864.0), Cell(0.75), Cell(1.5e-7)},
                     {Cell("head"), Cell(512.0), Cell(0.0), Cell(kInf)}}}};

  Result path{.name = "misaligned-sequence",
              .arm = "faulty",
              .op = "aten::scaled_dot_product_attention",
              .variant = "int8-dynamic",
              .dtype = "bfloat16",
              .device = "cuda",
              .oracle = "fp64",
              .verdict = Verdict::fallback,
              .expected = {"fallback", "stable"},
              .where = "output 0",
              .r = 0.0625,
              .rho = 0.0078,
              .lost_bits = 2.5,
              .message = "the math kernel ran: head dimension 65 is not a multiple of 8"};
  for (int i = 0; i < 30; ++i) path.path.push_back(i % 3 ? "aten::bmm" : "aten::_softmax");

  return {scaler,
          path,
          {.name = "clipping-disabled",
           .arm = "faulty",
           .op = "training/rnn",
           .dtype = "float32",
           .verdict = Verdict::nonfinite,
           .expected = {"nonfinite"},
           .where = "step 17 / loss",
           .nan = 1},
          {.name = "norm-overflow",
           .arm = "case",
           .op = "aten::linalg_vector_norm",
           .dtype = "float16",
           .verdict = Verdict::flushed,
           .where = "output 0",
           .r = 2.0,
           .tags = {"documented: numerical_accuracy.html#extremal-values"}}};
}

inline std::vector<Result> healthy() {
  return {{.name = "smollm2-half",
           .arm = "fixed",
           .op = "model/smollm2",
           .dtype = "bfloat16",
           .oracle = "fp64",
           .verdict = Verdict::stable,
           .expected = {"stable"},
           .where = "logits",
           .r = 0.42,
           .rho = 0.011,
           .lost_bits = 0.0,
           .max_abs = 0.49,
           .nan = 0,
           .inf = 0,
           .worst_index = {0, 46, 198},
           .seconds = 1.75,
           .oracle_seconds = 6.5,
           .series = {curve("headroom by layer: float16", 30,
                            [](double i) { return i < 11 ? 655.0 - 20 * i : 2.9 + 0.5 * i; }),
                      curve("headroom by layer: bfloat16", 30,
                            [](double i) { return (i < 11 ? 655.0 : 2.9) * 5.2e33; })}},
          {.name = "softmax-no-max",
           .arm = "fixed",
           .op = "aten::softmax.int",
           .dtype = "float32",
           .oracle = "quad",
           .verdict = Verdict::exact,
           .expected = {"stable"},
           .r = 0.0,
           .rho = 1e-7},
          {.name = "hilbert-inverse",
           .arm = "case",
           .op = "aten::linalg_inv",
           .dtype = "float32",
           .oracle = "fp64",
           .verdict = Verdict::ill_conditioned,
           .r = 0.011,
           .rho = kInf},
          {.name = "exp-limit",
           .arm = "case",
           .op = "aten::exp",
           .dtype = "float16",
           .oracle = "quad",
           .verdict = Verdict::overflow,
           .r = 0.25,
           .rho = 5e-4,
           .inf = 3},
          {.name = "smollm2-half",
           .arm = "fixed",
           .op = "model/smollm2",
           .dtype = "bfloat16",
           .device = "cuda",
           .verdict = Verdict::skipped,
           .expected = {"stable"},
           .message = "libtorch sees no CUDA device"},
          {.name = "special-zeta",
           .arm = "case",
           .op = "aten::special_zeta",
           .dtype = "float64",
           .verdict = Verdict::unsupported,
           .message = "no oracle wider than f64"}};
}

/// The verdicts that the rest does not show.
inline std::vector<Result> remaining() {
  std::vector<Result> results;
  for (const Verdict verdict :
       {Verdict::hung, Verdict::out_of_memory, Verdict::error, Verdict::masked,
        Verdict::relation_broken, Verdict::nondeterministic, Verdict::oracle_weak,
        Verdict::inconclusive}) {
    results.push_back({.name = "planted-" + std::string(to_string(verdict)),
                       .arm = "faulty",
                       .op = "aten::mul.Tensor",
                       .dtype = "float32",
                       .oracle = "fp64",
                       .verdict = verdict,
                       .expected = {std::string(to_string(verdict))}});
  }
  return results;
}

}  // namespace sample

/// A run as a person would meet it: every verdict, every status, series, tables, long paths, and
/// text that each format has to escape. No clock, host or version leaks in.
inline Report sample_report() {
  Report report;
  report.environment = {.plumb = "0.1.0",
                        .git = "abc1234",
                        .torch = "2.15.0+cpu",
                        .cuda = "",
                        .cublas = "",
                        .driver = "",
                        .cpu_capability = "AVX2",
                        .threads = 1,
                        .seed = 0,
                        .time = "2026-01-01T00:00:00Z"};
  for (const auto& part :
       {sample::healthy(), sample::failures(), sample::remaining(), sample::expected_failures()}) {
    for (const Result& result : part) report.results.push_back(sample::finish(result));
  }
  return report;
}

}  // namespace plumb::testing
