// A model whose parts are not where its device map says. The map here also splits a residual block
// and parts the tied embedding from the head; the checkpoint was loaded under an older map. torch
// notices only when two devices meet in one operator, if the devices are real; a buffer left behind
// by code that walks parameters alone is noticed as late.

#include "harness/scenario.hpp"
#include "scenarios/topology/placed_transformer.hpp"

namespace plumb {
namespace {

// "0" is the accelerator (`--device cuda` makes it real); "cpu" is the host.
const DeviceMap kWholeBlocks{{"wte", "0"},        {"wpe", "0"},    {"blocks.0", "0"},
                             {"blocks.1", "cpu"}, {"ln_f", "cpu"}, {"lm_head", "0"}};

const DeviceMap kSplitBlock{{"wte", "0"},
                            {"wpe", "0"},
                            {"blocks.0", "0"},
                            {"blocks.1.ln_1", "0"},
                            {"blocks.1.attn", "0"},
                            {"blocks.1.ln_2", "cpu"},
                            {"blocks.1.mlp", "cpu"},
                            {"ln_f", "cpu"},
                            {"lm_head", "cpu"}};

const DeviceMap kOffloaded{{"wte", "0"},         {"wpe", "0"},  {"blocks.0", "0"},
                           {"blocks.1", "disk"}, {"ln_f", "0"}, {"lm_head", "0"}};

/// The map the faulty checkpoint was loaded under.
const DeviceMap kOlderRun{{"", "0"}};

Inputs inputs_of(const Trial& trial) {
  Draws draws(trial.seed(), at::TensorOptions(trial.dtype()));
  return PlacedTransformer::make_inputs(draws);
}

PlacedTransformer model_of(const Inputs& inputs, const DeviceMap& declared, c10::Device device) {
  return {PlacedTransformer::tensors_of(inputs), declared, device};
}

std::string kind_of(const PlacedTensor& tensor) {
  return tensor.kind == PlacedTensor::Kind::parameter ? "parameter" : "buffer";
}

void show_placement(Trial& trial, const DeviceMap& declared, const PlacedTransformer& model) {
  std::vector<std::vector<Cell>> rows;
  std::vector<std::int64_t> misplaced;
  for (const PlacedTensor& tensor : model.tensors()) {
    const std::string wanted = declared.find(tensor.name).value_or("none");
    misplaced.push_back(wanted != tensor.device);
    rows.push_back({tensor.name, kind_of(tensor), wanted, tensor.device,
                    tensor.tensor.device().str(), misplaced.back() ? "mismatch" : ""});
  }
  trial.output("misplaced", at::tensor(misplaced));
  trial.table("placement", {"tensor", "kind", "declared", "actual", "torch's device", ""}, rows);
}

std::string summary(const std::vector<MapFinding>& findings, std::size_t tensors) {
  if (findings.empty()) {
    return std::to_string(tensors) + " parameters and buffers are where the map says";
  }
  const std::size_t more = findings.size() - 1;
  return findings.front().text + (more > 0 ? " (and " + std::to_string(more) + " more)" : "");
}

/// Judges map and placement before anything runs: a mismatch is cheaper to read here than in the
/// error of the operator that meets it.
void require_topology(Trial& trial, const DeviceMap& declared, const Inputs& loaded,
                      const PlacedTransformer& model) {
  // Tied weights are one tensor only as long as nothing has moved.
  auto findings = check_map(declared, PlacedTransformer::tensors_of(loaded),
                            PlacedTransformer::residual_blocks());
  const auto misplaced = check_placement(declared, model.tensors());
  findings.insert(findings.end(), misplaced.begin(), misplaced.end());
  std::vector<std::vector<Cell>> rows;
  for (const MapFinding& finding : findings) rows.push_back({finding.rule, finding.text});
  if (!rows.empty()) trial.table("findings", {"rule", "what is wrong"}, rows);
  show_placement(trial, declared, model);
  trial.require("device-map", findings.empty(), summary(findings, model.tensors().size()));
}

/// What happens to someone who runs it anyway. Real devices raise torch's error, which passes.
void run(Trial& trial, const PlacedTransformer& model, const Inputs& inputs) {
  try {
    const auto logits = [&](const Inputs& in) { return model.logits(in["tokens"]); };
    const auto call = trial.prepare(native_program("two-block transformer", logits), inputs);
    trial.output("logits", call(inputs).front().tensor);
  } catch (const WrongDevice& error) {
    trial.require("execution", false, error.what());
    trial.table("running it anyway", {"raises"}, {{std::string(error.what())}});
  }
}

void faulty(Trial& trial) {
  const Inputs inputs = inputs_of(trial);
  const bool offload = trial.param("offload") != 0;
  const DeviceMap& declared = offload ? kOffloaded : kSplitBlock;
  PlacedTransformer model = model_of(inputs, declared, trial.device());
  model.dispatch(offload ? kOffloaded : kOlderRun);
  require_topology(trial, declared, inputs, model);
  run(trial, model, inputs);
}

at::Tensor placed_logits(const Inputs& inputs) {
  PlacedTransformer model = model_of(inputs, kWholeBlocks, inputs["tokens"].device());
  model.dispatch(kWholeBlocks);
  return model.logits(inputs["tokens"]);
}

void fixed(Trial& trial) {
  const Inputs inputs = inputs_of(trial);
  PlacedTransformer model = model_of(inputs, kWholeBlocks, trial.device());
  model.dispatch(kWholeBlocks);
  require_topology(trial, kWholeBlocks, inputs, model);
  trial.judge(native_program("two-block transformer", placed_logits), inputs);
}

/// `for p in parameters: p.to(device)` forgets the causal mask of the block that moved.
void mutant(Trial& trial) {
  const Inputs inputs = inputs_of(trial);
  PlacedTransformer model = model_of(inputs, kWholeBlocks, trial.device());
  model.dispatch(kWholeBlocks);
  model.misplace("blocks.1.attn.causal", "0");
  require_topology(trial, kWholeBlocks, inputs, model);
  run(trial, model, inputs);
}

const Register<Scenario> registered{{
    .name = "device-map-mismatch",
    .about = "parameters and buffers that are not on the device their map declares: split residual "
             "block, parted tied weights, stale placement, weights left on meta",
    .sources = {"RupertLuo/Valley#18", "bigcode-project/starcoder#29", "OpenGVLab/InternVL#229",
                "huggingface/peft#776", "huggingface/accelerate#2829"},
    .op = "two-block transformer",
    .params = {{"offload", 0, "1: block 1 is declared on disk and its weights stay on meta", true}},
    .faulty = {faulty, {Verdict::invariant_broken, Verdict::error}},
    .fixed = {fixed, {Verdict::stable}},
    .mutant = {mutant, {Verdict::invariant_broken, Verdict::error}},
}};

}  // namespace
}  // namespace plumb
