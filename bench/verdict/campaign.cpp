#include "bench/verdict/campaign.hpp"

#include <chrono>
#include <cstdio>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include "bench/verdict/effect.hpp"
#include "harness/dtype.hpp"
#include "harness/judge.hpp"
#include "harness/process_clock.hpp"

namespace plumb::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kFillNames[] = {"normal", "positive",      "wide",    "offset",
                                      "tiny",   "near-overflow", "outlier", "cancelling"};
constexpr double kIllConditioned = 10;  // median of S/|g| over the output

std::vector<double> values_of(const at::Tensor& tensor) {
  const at::Tensor wide = tensor.to(at::kDouble).contiguous();
  const double* data = wide.const_data_ptr<double>();
  return {data, data + wide.numel()};
}

/// One set of inputs with its truth, conditioning, and everybody's opinion of every implementation.
class CaseRun {
 public:
  CaseRun(const Operation& operation, const Draw& draw, std::uint64_t seed)
      : operation_(operation),
        draw_(draw),
        program_(operator_program(c10::Dispatcher::singleton().findSchemaOrThrow(
            operation.op.c_str(), operation.overload.c_str()))),
        inputs_(cast(operation.inputs(draw), draw.dtype)),
        oracle_(*choose_oracle("auto", program_, inputs_, false).oracle),
        truths_(oracle_.evaluate(program_, inputs_)),
        conditioning_(oracle_, program_, inputs_, truths_, seed) {
    sample_.operation = operation.name;
    sample_.format = *format_of(draw.dtype);
    sample_.terms = inputs_[operation.terms_of].size(operation.terms_dim);
    sample_.truth = values_of(truths_[0].hi);
    for (const double g : sample_.truth) sample_.rounded.push_back(round_to(sample_.format, g));
    sample_.eager = values_of(operation.healthy[0].run(inputs_));
  }

  void judge_healthy(Tally& tally, bool shows_misses) {
    for (const Healthy& healthy : operation_.healthy) {
      if (healthy.applies && !healthy.applies(draw_)) continue;
      const at::Tensor y = healthy.run(inputs_);
      const auto opinions = ask_all(y, healthy.sequential, tally);
      ++tally.healthy;
      healthy_opinions_.push_back(opinions);
      if (shows_misses && opinions[0] == Opinion::alarm) show("FALSE ALARM", healthy.name);
      if (shows_misses && opinions[0] == Opinion::undecided) show("vacuous", healthy.name);
    }
  }

  void judge_planted(Tally& tally, bool shows_misses) {
    for (const Planted& planted : operation_.planted(draw_.dtype)) {
      KindTally& kind = tally.kinds[planted.kind];
      ++kind.planted;
      const at::Tensor y = planted.run(inputs_);
      sample_.output = values_of(y);
      if (!has_effect(sample_, values_of(planted.twin(inputs_)))) {
        ++kind.excluded;
        continue;
      }
      const auto opinions = ask_all(y, false, tally);
      ++tally.planted;
      if (planted.harm == Harm::precision) ++tally.planted_precision;
      for (std::size_t i = 0; i < opinions.size(); ++i) {
        tally.rules[i].add_planted(opinions[i], planted.harm);
      }
      ++(opinions[0] == Opinion::alarm ? kind.caught : kind.missed);
      if (shows_misses && opinions[0] != Opinion::alarm) show("missed", planted.kind);
    }
  }

  /// Counts the healthy outputs and the probes; call it last. Probes that no verdict needed are
  /// made here, to tell ill-conditioned cases, and cost the judge nothing.
  void settle(Tally& tally) {
    tally.rules[0].seconds += conditioning_.seconds();
    const at::Tensor g = truths_[0].hi.abs();
    const at::Tensor kappa = (conditioning_.sensitivity(0) / g).masked_select(g.gt(0));
    const bool ill = kappa.numel() > 0 && kappa.median().item<double>() > kIllConditioned;
    for (const auto& opinions : healthy_opinions_) {
      if (ill) ++tally.healthy_ill;
      for (std::size_t i = 0; i < opinions.size(); ++i) {
        tally.rules[i].add_healthy(opinions[i], ill);
      }
    }
  }

 private:
  Opinion ours(const at::Tensor& y, bool sequential) {
    Contract contract = contract_for(draw_.dtype, program_.traits, inputs_, oracle_.roundoff);
    if (sequential) contract.reduction *= contract.reduction;  // n for sqrt(n)
    const at::Tensor& first = inputs_.begin()->value.toTensor();
    last_ = judge({"output 0", y}, truths_[0], contract,
                  {.conditioning = [this] { return &conditioning_; }, .first_input = &first});
    if (last_.verdict == Verdict::vacuous) return Opinion::undecided;
    return last_.verdict < Verdict::overflow ? Opinion::alarm : Opinion::pass;
  }

  std::vector<Opinion> ask_all(const at::Tensor& y, bool sequential, Tally& tally) {
    std::vector<Opinion> opinions;
    const double probing = conditioning_.seconds();
    auto start = Clock::now();
    opinions.push_back(ours(y, sequential));
    tally.rules[0].seconds += seconds_since(start) - (conditioning_.seconds() - probing);
    sample_.output = values_of(y);
    for (std::size_t i = 0; i < peer_rules().size(); ++i) {
      start = Clock::now();
      opinions.push_back(peer_rules()[i].judge(sample_));
      tally.rules[i + 1].seconds += seconds_since(start);
    }
    return opinions;
  }

  void show(const char* what, const std::string& implementation) const {
    const Distances& d = last_.distances;
    std::printf(
        "%s: %s / %s / %s / %s / shape %d: %s, r %.3g, rho %.3g, max_abs %.3g, max_rel %.3g"
        "%s\n",
        what, operation_.name.c_str(), implementation.c_str(), dtype_name(draw_.dtype).c_str(),
        kFillNames[static_cast<int>(draw_.fill)], draw_.shape,
        std::string(to_string(last_.verdict)).c_str(), d.r, d.rho, d.max_abs, d.max_rel,
        last_.probed ? "" : " (cheap bound)");
  }

  const Operation& operation_;
  const Draw& draw_;
  Program program_;
  Inputs inputs_;
  const Oracle& oracle_;
  Truths truths_;
  Conditioning conditioning_;
  Sample sample_;
  Judgement last_;
  std::vector<std::vector<Opinion>> healthy_opinions_;
};

constexpr int kDraws = 3;  // cases of each operation, type, fill and shape

/// A seventh of one draw meets every operation with every type and every fill.
bool skipped(const CampaignOptions& options, int number, int draw) {
  return options.quick && (draw > 0 || number % 7 != static_cast<int>(options.seed % 7));
}

void run_cell(const Operation& operation, const Draw& draw, std::uint64_t seed,
              const CampaignOptions& options, Tally& tally) {
  CaseRun run(operation, draw, seed);
  run.judge_healthy(tally, options.shows_misses);
  run.judge_planted(tally, options.shows_misses);
  run.settle(tally);
}

}  // namespace

Tally run_campaign(const CampaignOptions& options) {
  Tally tally;
  tally.rules.push_back({"Plumbline"});
  for (const Rule& rule : peer_rules()) tally.rules.push_back({rule.name});
  int number = 0;
  for (const Operation& operation :
       {gemm(), softmax(), layer_norm(), attention(), sum(), variance()}) {
    if (!options.only.empty() && options.only != operation.name) continue;
    for (const auto dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
      for (int cell = 0; cell < kFills * kShapes * kDraws; ++cell) {
        const int shape = cell % kShapes, fill = cell / kShapes % kFills;
        if (skipped(options, ++number, cell / kShapes / kFills)) continue;
        const std::uint64_t seed = options.seed * 100003 + static_cast<std::uint64_t>(number);
        run_cell(
            operation,
            {static_cast<Fill>(fill), dtype, shape, at::make_generator<at::CPUGeneratorImpl>(seed)},
            seed, options, tally);
      }
    }
  }
  return tally;
}

}  // namespace plumb::bench
