// Attention that silently leaves the fused kernel. The trigger here: a key cache kept as
// [batch, heads, dim, length] and handed over transposed, so that its last stride is not 1. torch
// answers with the math back end: the same numbers, and the whole length x length score matrix in
// memory. The length itself is innocent: no CPU or CUDA flash kernel asks for a multiple of 64.

#include "harness/memory_meter.hpp"
#include "harness/scenario.hpp"
#include "scenarios/attention/fallback_table.hpp"
#include "scenarios/attention/sdpa.hpp"
#include "scenarios/draws.hpp"
#include "scenarios/params.hpp"
#include "scenarios/words.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kHeads = 8;
constexpr std::int64_t kDim = 64;

enum class KeyLayout { transposed_view, contiguous };

Attention attention_of(const Inputs& in, KeyLayout layout) {
  at::Tensor key = in["key cache"].transpose(-1, -2);
  if (layout == KeyLayout::contiguous) key = key.contiguous();
  return {.query = in["query"], .key = key, .value = in["value"], .causal = true};
}

Inputs make_inputs(const Trial& trial) {
  const std::int64_t length = count_param(trial, "length", 8192);
  Draws draws(trial.seed(), at::TensorOptions(trial.dtype()));
  return {{"query", draws.normal({1, kHeads, length, kDim})},
          {"key cache", draws.normal({1, kHeads, kDim, length})},
          {"value", draws.normal({1, kHeads, length, kDim})}};
}

Inputs on_device(const Inputs& inputs, c10::Device device) {
  return inputs.map(
      [device](const std::string&, const at::Tensor& tensor) { return tensor.to(device); });
}

/// Greatest number of bytes the call holds at once beyond its inputs.
double peak_mib(const Attention& attention) {
  const MemoryMeter meter(attention.query.device().type());
  attention.run();
  return double(meter.peak()) / (1 << 20);
}

/// "8.2 MiB at its peak, with a contiguous key 0.9 MiB"
std::string memory_cost(const Attention& attention) {
  std::string text = brief(peak_mib(attention)) + " MiB at its peak";
  if (attention.key.is_contiguous()) return text;
  Attention eligible = attention;
  eligible.key = attention.key.contiguous();
  return text + ", with a contiguous key " + brief(peak_mib(eligible)) + " MiB";
}

void check_path(Trial& trial, const std::vector<std::string>& path, const Attention& attention) {
  const std::string kernel = attention_kernel(path);
  if (kernel.empty()) {
    return trial.skip(
        "compiled code calls its kernels past the dispatcher: which one ran is unseen");
  }
  const std::string cost = memory_cost(attention);
  trial.note(kernel + " ran; " + cost);
  if (!is_math_kernel(kernel)) return;
  std::string reason = why_not_flash(attention);
  if (reason.empty()) reason = "the fused back ends are switched off";
  trial.conclude(Verdict::fallback, "path",
                 kernel + " ran where a fused kernel was intended; " + cost + ". Why: " + reason);
}

void run(Trial& trial, KeyLayout layout) {
  const Inputs inputs = make_inputs(trial);
  const Program program = {.name = "attention",
                           .forward =
                               [layout](const Inputs& in, Widening) {
                                 return Outputs{{"output 0", attention_of(in, layout).run()}};
                               },
                           .traits = traits_of("aten::scaled_dot_product_attention")};
  const Inputs placed = on_device(inputs, trial.device());
  const auto call = trial.prepare(program, placed);
  const auto path = trial.traced([&] { call(placed); });
  trial.judge(program, inputs);
  const Attention attention = attention_of(placed, layout);
  check_path(trial, path, attention);
}

void faulty(Trial& trial) {
  run(trial, KeyLayout::transposed_view);
  add_fallback_table(trial);
}

void fixed(Trial& trial) {
  run(trial, KeyLayout::contiguous);
  add_memory_table(trial);
}

void mutant(Trial& trial) {
  const OnlyBackends math({at::SDPBackend::math});
  run(trial, KeyLayout::contiguous);
}

const Register<Scenario> registered{{
    .name = "misaligned-sequence",
    .about = "attention on a key whose last stride is not 1 silently falls back from the fused "
             "kernel to math: same numbers, length x length memory",
    .sources = {"pytorch/pytorch#116333", "torch-spyre/torch-spyre#4331",
                "Dao-AILab/flash-attention#622", "unslothai/unsloth#827"},
    .op = "aten::scaled_dot_product_attention",
    .params = {{"length", 577, "sequence length; not a multiple of 64, which does not matter",
                true}},
    .faulty = {faulty, {Verdict::fallback}},
    .fixed = {fixed, {Verdict::stable}},
    .mutant = {mutant, {Verdict::fallback}},
}};

}  // namespace
}  // namespace plumb
