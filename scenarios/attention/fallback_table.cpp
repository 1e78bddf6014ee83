#include "scenarios/attention/fallback_table.hpp"

#include <ATen/ATen.h>

#include "harness/memory_meter.hpp"
#include "harness/trace.hpp"
#include "scenarios/attention/sdpa.hpp"
#include "scenarios/draws.hpp"

namespace plumb {
namespace {

using at::SDPBackend;

struct Condition {
  std::string name;
  SDPBackend on_cpu;
  std::string why;  // in plain words; torch's own stand beside it
  std::int64_t length = 128;
  std::int64_t dim = 64;
  void (*change)(Attention&) = nullptr;
};

at::Tensor zeros_mask(const Attention& a, at::IntArrayRef shape) {
  return at::zeros(shape, a.query.options());
}

const std::vector<Condition>& conditions() {
  static const std::vector<Condition> all = {
      {"length 128, dim 64", SDPBackend::flash_attention, "eligible"},
      {"length 65", SDPBackend::flash_attention, "eligible: no multiple of 64 is asked for", 65},
      {"head dim 63", SDPBackend::flash_attention, "eligible on the CPU", 128, 63},
      {"causal", SDPBackend::flash_attention, "eligible", 128, 64,
       [](Attention& a) { a.causal = true; }},
      {"bool mask, 4-D", SDPBackend::flash_attention, "eligible on the CPU", 128, 64,
       [](Attention& a) {
         a.mask = zeros_mask(a, {1, 1, 128, 128}).eq(0).tril();
       }},
      {"4 query heads, 2 key heads", SDPBackend::flash_attention, "eligible", 128, 64,
       [](Attention& a) {
         a.key = a.key.slice(1, 0, 2).contiguous();
         a.value = a.value.slice(1, 0, 2).contiguous();
         a.grouped = true;
       }},
      {"dropout 0.1", SDPBackend::math, "the CPU kernel has no dropout", 128, 64,
       [](Attention& a) { a.dropout = 0.1; }},
      {"value dim 32", SDPBackend::math, "query, key and value must share one dim", 128, 64,
       [](Attention& a) { a.value = a.value.slice(-1, 0, 32).contiguous(); }},
      {"mask, 3-D", SDPBackend::math, "a mask must be 2-D or 4-D", 128, 64,
       [](Attention& a) {
         a.mask = zeros_mask(a, {4, 128, 128});
       }},
      {"key transposed in memory", SDPBackend::math, "the last stride must be 1", 128, 64,
       [](Attention& a) { a.key = a.key.mT().contiguous().mT(); }},
      {"mask requires grad", SDPBackend::math, "the CPU kernel has no gradient of the mask", 128,
       64,
       [](Attention& a) {
         a.mask = zeros_mask(a, {1, 1, 128, 128}).requires_grad_();
       }},
      {"key in another dtype", SDPBackend::math, "query, key and value must share one dtype", 128,
       64, [](Attention& a) { a.key = a.key.to(at::kBFloat16); }},
      {"length 0", SDPBackend::math, "there is nothing to attend to", 0},
  };
  return all;
}

Attention make_attention(const Trial& trial, const Condition& condition) {
  Draws draws(trial.seed(), at::TensorOptions(trial.dtype()).device(trial.device()));
  const std::vector<std::int64_t> shape = {1, 4, condition.length, condition.dim};
  Attention attention{draws.normal(shape), draws.normal(shape), draws.normal(shape)};
  if (condition.change != nullptr) condition.change(attention);
  return attention;
}

struct Measured {
  Cell error = "";
  Cell peak_kib = "";
};

/// `truth` is undefined where there is none to compare with.
Measured measure(const Attention& attention, const at::Tensor& truth) {
  at::Tensor output;
  const MemoryMeter meter(attention.query.device().type());
  output = attention.run();
  Measured measured{.peak_kib = double(meter.peak()) / 1024};
  if (!truth.defined() || truth.numel() == 0) return measured;
  measured.error = (output.to(at::kDouble) - truth).abs().max().item<double>();
  return measured;
}

std::vector<Cell> row(const Condition& condition, const Attention& attention) {
  const SDPBackend choice = attention.choice();
  const bool fused = choice != SDPBackend::math;
  std::vector<Cell> cells = {condition.name, backend_name(choice), condition.why,
                             fused ? "" : why_not_flash(attention)};
  try {
    const at::Tensor truth = attention.dropout > 0 ? at::Tensor() : attention.truth();
    Measured as_fused;
    if (fused) as_fused = measure(attention, truth);
    const OnlyBackends only_math({SDPBackend::math});
    const Measured as_math = measure(attention, truth);
    cells.insert(cells.end(), {as_fused.error, as_math.error, as_fused.peak_kib, as_math.peak_kib});
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    cells.insert(cells.end(), {"raises: " + text.substr(0, text.find('\n')), "", "", ""});
  }
  return cells;
}

}  // namespace

void add_fallback_table(Trial& trial) {
  const at::NoGradGuard no_grad;
  std::vector<std::vector<Cell>> rows;
  std::string surprises;
  for (const Condition& condition : conditions()) {
    const Attention attention = make_attention(trial, condition);
    const SDPBackend choice = attention.choice();
    if (choice != condition.on_cpu) {
      surprises += condition.name + ": " + backend_name(choice) + "; ";
    }
    rows.push_back(row(condition, attention));
  }
  trial.table("what decides the attention kernel",
              {"condition", "back end", "why", "torch's words", "fused: max error",
               "math: max error", "fused: peak KiB", "math: peak KiB"},
              rows);
  if (trial.device().is_cpu()) trial.require("documented-choices", surprises.empty(), surprises);
}

void add_memory_table(Trial& trial) {
  const at::NoGradGuard no_grad;
  std::vector<std::vector<Cell>> rows;
  std::vector<double> lengths, math_mib, fused_mib;
  for (const std::int64_t length : {512, 1024, 2048}) {
    Draws draws(trial.seed(), at::TensorOptions(trial.dtype()).device(trial.device()));
    const std::vector<std::int64_t> shape = {1, 8, length, 64};
    const Attention attention{.query = draws.normal(shape),
                              .key = draws.normal(shape),
                              .value = draws.normal(shape),
                              .causal = true};
    fused_mib.push_back(std::get<double>(measure(attention, {}).peak_kib) / 1024);
    const OnlyBackends only_math({SDPBackend::math});
    math_mib.push_back(std::get<double>(measure(attention, {}).peak_kib) / 1024);
    lengths.push_back(double(length));
    rows.push_back(
        {lengths.back(), math_mib.back(), fused_mib.back(), math_mib.back() / fused_mib.back()});
  }
  trial.table("peak memory of attention", {"length", "math MiB", "fused MiB", "ratio"}, rows);
  trial.series("peak memory in MiB by sequence length: math", lengths, math_mib);
  trial.series("peak memory in MiB by sequence length: fused", lengths, fused_mib);
}

}  // namespace plumb
