// A pretrained network in half precision. Its residual stream jumps from 106 to 22,552 at block 11
// (one token, one channel), which leaves float16 a factor of 2.9: activations four times as large,
// the same function in exact arithmetic because RMS norms divide the factor out, cross 65504 in the
// down-projection. The next attention spreads that one inf over every row, as NaN.

#include "scenarios/serving/smollm2.hpp"

#include "harness/condition.hpp"
#include "harness/errors.hpp"
#include "harness/graph.hpp"
#include "harness/scenario.hpp"
#include "scenarios/plot.hpp"
#include "scenarios/serving/smollm2_passage.hpp"
#include "scenarios/serving/smollm2_record.hpp"

namespace plumb {
namespace {

using namespace smollm2;

/// The mutant: one of 270 query heads reads the keys and values of its neighbour's group. Finite
/// everywhere, NLL and top-1 no worse than healthy bfloat16: only the error against float64 shows.
constexpr int kStrayBlock = 20;
constexpr std::int64_t kStrayHead = 1;

HeadMap with_stray_head(const Network& network) {
  return [heads = network.grouped_heads(), groups = network.shape().kv_heads](int block,
                                                                              std::int64_t head) {
    const bool stray = block == kStrayBlock && head == kStrayHead;
    return stray ? (heads(block, head) + 1) % groups : heads(block, head);
  };
}

/// Of each token of the passage after the first, given those before it.
at::Tensor text_log_probability(const at::Tensor& logits) {
  const auto tokens = constant(kPassageTokens).to(logits.device());
  return logits.slice(0, 0, -1).log_softmax(-1).gather(-1, tokens.slice(0, 1).unsqueeze(-1));
}

/// The 135 million weights of the projections are constants of the program, rounded once to the
/// type: probing them too would take 3 GiB more and changes S little.
Inputs inputs_of(const Network& network, c10::Device device) {
  return {{"embedded", network.embed(kPassageTokens).to(device)},
          {"norms", network.norms().to(device)}};
}

/// The passage through the network. Judged is what decoding the next token depends on: what the
/// residual stream of the last position predicts after every block, so that an error is placed in
/// its block; the logits there; the log-probability of each token of the text.
struct Decoder {
  const Network& network;
  HeadMap variant_heads;  // those of the float64 twin are always right

  explicit Decoder(const Network& of) : network(of), variant_heads(of.grouped_heads()) {}

  /// With `record`, every tensor of a run is noted there.
  Program program(Record* record = nullptr) const {
    return {.name = "SmolLM2-135M",
            .forward = [this, record](const Inputs& in,
                                      Widening widening) { return run(in, widening, record); },
            .traits = {.promise = Promise::composite, .why = "a network of 30 blocks"},
            .grad = {},
            .cotangent = {}};
  }

  Outputs run(const Inputs& in, Widening widening, Record* record) const {
    Outputs outputs;
    const c10::IValue* roundings = in.find("roundings");
    const auto factors =
        roundings == nullptr ? std::vector<at::Tensor>() : roundings->toTensorVector();
    std::size_t met = 0;
    const Tap tap = [&](const Place& place, const at::Tensor& value) {
      const at::Tensor x = met < factors.size() ? value * factors[met++] : value;
      if (place.name == kAfterMlp) {
        outputs.push_back({"prediction after block " + std::to_string(place.block),
                           network.lens(x[-1], in["norms"], kPassageTokens)});
      }
      if (record != nullptr) record->add(place, x);
      return x;
    };
    const at::Tensor logits = network.logits(in["embedded"], in["norms"], tap,
                                             widening ? network.grouped_heads() : variant_heads);
    outputs.push_back({"logits of the last token", logits[-1]});
    outputs.push_back({"log-probability of the text", text_log_probability(logits)});
    return outputs;
  }
};

/// A network, what it computes here, and the inputs rounded to the type of the trial.
struct Setup {
  GgufFile file;
  Vocabulary vocabulary;
  Network network;
  Decoder decoder;
  Inputs inputs;

  explicit Setup(const Trial& trial, double residual_scale = 1)
      : file(GgufFile::open(file_path())),
        vocabulary(file),
        network(file, trial.dtype(), residual_scale),
        decoder(network),
        inputs(cast(inputs_of(network, trial.device()), trial.dtype())) {}

  Setup(const Setup&) = delete;  // the decoder refers to the network

  Outputs twin(Record* record) const {
    return execute(decoder.program(record), cast(inputs, at::kDouble), at::kDouble);
  }
};

/// A pass in the trial's type and one in double, seen from inside, and the sentence about them.
struct Observation {
  Outputs twin;
  Inputs probed;
  std::string summary;
};

/// The records, 250 MB, end here, before the judge's probes begin.
Observation observe(Trial& trial, const Setup& setup) {
  Record run;
  execute(setup.decoder.program(&run), setup.inputs);
  Record wide;
  Observation seen{setup.twin(&wide), setup.inputs, ""};
  // Every tensor inside times one: a composite program in a half type rounds there by contract, and
  // probing the ones makes S the size of what these roundings must do to the outputs.
  seen.probed.set("roundings", run.ones());
  const Evidence evidence{run, wide, kPassageTokens, setup.vocabulary};
  blame_first_nonfinite(trial, evidence);
  seen.summary = add_figures(trial, evidence);
  return seen;
}

Observation judge(Trial& trial, const Setup& setup) {
  Observation seen = observe(trial, setup);
  trial.judge(setup.decoder.program(), seen.probed);
  trial.note(seen.summary);
  return seen;
}

/// |S| / |g| of the predictions by block: by how much relative errors on the way there grow.
void add_condition(Trial& trial, const Setup& setup, const Observation& seen) {
  Truths truths;
  for (const Output& output : seen.twin) {
    truths.push_back({output.name, output.tensor.cpu(), {}});
  }
  const Program program = setup.decoder.program();
  Conditioning conditioning(*Registry<Oracle>::instance().find("fp64"), program, seen.probed,
                            truths, trial.seed());
  std::vector<double> kappa;
  for (std::int64_t block = 0; block < setup.network.shape().blocks; ++block) {
    const auto i = std::size_t(block);  // the predictions come first
    kappa.push_back((conditioning.sensitivity(i).norm() / truths[i].hi.norm()).item<double>());
  }
  plot(trial, "condition of the prediction by block", kappa);
}

/// What the network says after the prompt: a check without judge or oracle.
void check_continuation(Trial& trial, const Setup& setup) {
  const Network& network = setup.network;
  const at::Tensor prompt = network.embed(kPromptTokens).to(trial.device(), trial.dtype());
  const at::Tensor logits =
      network.logits(prompt, network.norms().to(prompt.options()), {}, network.grouped_heads());
  const std::string answer = setup.vocabulary.text({logits[-1].argmax().item<std::int64_t>()});
  trial.table("greedy continuation", {"prompt", "next token"}, {{std::string(kPrompt), answer}});
  // A float64 row has no oracle and must stay `unsupported`; a property that holds would make it
  // `stable`.
  if (trial.dtype() == at::kDouble) return;
  trial.require("greedy continuation", answer == kAnswer,
                "'" + std::string(kPrompt) + "' goes on with '" + answer + "', expected '" +
                    std::string(kAnswer) + "'");
}

/// An arm, or `skipped` where the file is not installed.
std::function<void(Trial&)> with_file(void (*arm)(Trial&)) {
  return [arm](Trial& trial) {
    if (const auto why = why_missing()) return trial.skip(*why);
    arm(trial);
  };
}

void faulty(Trial& trial) {
  const double scale = trial.param("activation_scale");
  if (!(scale > 0 && scale <= 4096)) {
    throw UsageError("parameter 'activation_scale' must be above 0 and at most 4096");
  }
  judge(trial, Setup(trial, scale));
}

void fixed(Trial& trial) {
  const Setup setup(trial);
  add_condition(trial, setup, judge(trial, setup));
  check_continuation(trial, setup);
}

void mutant(Trial& trial) {
  Setup setup(trial);
  setup.decoder.variant_heads = with_stray_head(setup.network);
  judge(trial, setup);
}

const Register<Scenario> registered{{
    .name = "smollm2-half",
    .about = "a pretrained network whose activations leave float16 a factor of 2.9: four times as "
             "large, one element overflows in a down-projection and all logits are NaN",
    .sources = {"huggingface/transformers#5651", "huggingface/transformers#9295",
                "google-research/text-to-text-transfer-transformer#539",
                "unslothai/unsloth-zoo#600", "vllm-project/vllm#14126"},
    .op = "SmolLM2-135M",
    .params = {{"activation_scale", 4,
                "faulty arm: factor on everything written to the residual stream; float16 "
                "overflows from 2.9 on"}},
    // A kernel that takes its scale from the data refuses the NaN.
    .faulty = {with_file(faulty), {Verdict::nonfinite, Verdict::error}, {at::kHalf}},
    .fixed = {with_file(fixed),
              {Verdict::stable, Verdict::ill_conditioned, Verdict::unsupported},
              {at::kDouble, at::kFloat, at::kBFloat16, at::kHalf}},
    .mutant = {with_file(mutant), {Verdict::unstable}, {at::kHalf}},
}};

}  // namespace
}  // namespace plumb
