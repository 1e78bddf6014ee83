#include "harness/run.hpp"

#include <chrono>
#include <cmath>
#include <iterator>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "harness/attempt.hpp"
#include "harness/digest.hpp"
#include "harness/dtype.hpp"
#include "harness/evidence.hpp"
#include "harness/oracle_device.hpp"
#include "harness/parts.hpp"
#include "harness/process_clock.hpp"
#include "harness/question.hpp"
#include "harness/relation.hpp"
#include "harness/result_traits.hpp"
#include "harness/text.hpp"
#include "harness/trace.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

bool has_complex(const Inputs& inputs) {
  bool found = false;
  inputs.each([&](const std::string&, const at::Tensor& t) { found |= t.is_complex(); });
  return found;
}

/// Judges one subject; a value per run, so that no state leaks from case to case.
class Evaluator {
 public:
  Evaluator(const Subject& subject, const Settings& settings, const Expectation* expect,
            const std::string& where, const Outputs* answer = nullptr)
      : subject_(subject),
        settings_(settings),
        expect_(expect),
        where_(where),
        answer_(answer),
        variant_(variant_or_usage_error(settings.variant)),
        oracles_on_(best_oracle_device(subject.program, subject.inputs, settings.device)),
        question_(subject, settings.seed) {
    promised_ = settings.contract.value_or(subject.program.traits.promise);
    if (results_.exact_of_reals_only && has_complex(subject.inputs)) promised_ = Promise::fused;
  }

  Evaluation run() {
    describe();
    if (answer_ != nullptr) {
      evaluation_.outputs = *answer_;
      find_truth();
      if (!evaluation_.truths.empty()) judge_outputs();
      return std::move(evaluation_);
    }
    if (const auto why = variant_.unavailable(subject_.program, settings_.device)) {
      conclude(Verdict::skipped, *why);
      return std::move(evaluation_);
    }
    if (!execute_variant()) return std::move(evaluation_);
    if (drew_) {
      conclude(Verdict::unsupported, "it draws random numbers: no single value is right");
      return std::move(evaluation_);
    }
    find_truth();
    if (!execution_.parts.empty()) {
      judge_parts();
    } else if (!evaluation_.truths.empty()) {
      judge_outputs();
    }
    compare_with_eager();
    if (execution_.parts.empty()) check_relations();  // equal answers need equal quantisation
    check_repeats();
    check_path();
    return std::move(evaluation_);
  }

 private:
  Result& result() { return evaluation_.result; }

  /// Keeps the worst verdict seen; its message goes with it. False where another is worse.
  bool conclude(Verdict verdict, const std::string& message, const std::string& place = "") {
    if (concluded_ && !worse(verdict, result().verdict)) return false;
    concluded_ = true;
    result().verdict = verdict;
    result().message = message;
    if (!place.empty()) result().where = place;
    return true;
  }

  void describe() {
    Result& r = result();
    r.op = subject_.program.name;
    r.variant = settings_.variant;
    r.dtype = subject_.dtype ? dtype_name(*subject_.dtype) : "mixed";
    r.device = settings_.device.str();
    r.seed = settings_.seed;
    r.threads = settings_.threads;
    if (!subject_.program.traits.documented.empty()) {
      r.tags.push_back("documented: " + subject_.program.traits.documented);
    }
  }

  bool execute_variant() {
    const bool error_expected = expect_ != nullptr && expect_->lists(Verdict::error);
    Attempt tried = attempt(settings_.device, variant_, subject_.program,
                            private_copy(subject_.inputs), error_expected);
    result().seconds = tried.seconds;
    result().tables = std::move(tried.tables);
    if (!tried.execution) {
      conclude(tried.failure, tried.message);
      return false;
    }
    execution_ = std::move(*tried.execution);
    evaluation_.outputs = std::move(execution_.outputs);
    full_path_ = std::move(tried.path);
    drew_ = tried.drew;
    // One kernel accumulates and rounds once; what is made of several rounds after each.
    const bool declared = settings_.contract || promised_ != Promise::fused;
    if (!declared && rounding_steps(full_path_) > 1) promised_ = Promise::composite;
    result().path = readable_path(full_path_);
    result().path_hash = path_hash(full_path_);
    result().digest = digest(evaluation_.outputs);
    return true;
  }

  bool judges_float64() const {
    return std::ranges::any_of(evaluation_.outputs, [](const Output& output) {
      return real_type(output.tensor.scalar_type()) == at::kDouble;
    });
  }

  void name_oracle() {
    result().oracle = question_.oracle()->name;
    if (subject_.reference) result().oracle += " of " + question_.program().name;
  }

  void find_truth() {
    std::string why_not;
    const auto start = std::chrono::steady_clock::now();
    Truths answered = question_.answer(settings_.oracle, judges_float64(), why_not);
    result().oracle_seconds = seconds_since(start);
    if (question_.oracle() != nullptr) name_oracle();
    if (expect_ != nullptr && expect_->has_values()) {
      answered = truths_from_values(*expect_, evaluation_.outputs, answered, where_);
      result().oracle = "values";
    } else if (answered.empty()) {
      conclude(Verdict::unsupported, why_not);
      return;
    }
    if (answered.size() != evaluation_.outputs.size()) {
      conclude(Verdict::error, std::to_string(evaluation_.outputs.size()) + " outputs, expected " +
                                   std::to_string(answered.size()));
      return;
    }
    evaluation_.truths = std::move(answered);
  }

  Contract contract_of(const Output& output) const {
    Traits traits = subject_.program.traits;
    traits.promise = promised_;
    Contract contract = question_.contract_of(output, traits, settings_.contract.has_value());
    contract.intermediate_roundoff += execution_.operand_roundoff;
    return contract;
  }

  Judgement judge_one(std::size_t i) {
    const Output& output = evaluation_.outputs[i];
    const bool valued = expect_ != nullptr && expect_->has_values();
    const Contract contract = contract_of(output);
    Jury jury{.conditioning = [this] { return question_.conditioning(); },
              .output = i,
              .is_gradient = is_gradient(output),
              .first_input = subject_.inputs.first_tensor(),
              .check_vacuity = !valued,
              .sign_of_zero = valued,
              .tolerance = {}};
    if (valued && expect_->has_tolerance()) jury.tolerance = tolerance_bound(*expect_, contract);
    return judge(output, evaluation_.truths[i], contract, jury);
  }

  /// Where a solver says that a matrix is singular there is no answer to judge, if it is so within
  /// the precision: the bound exceeds what the oracle found.
  bool answers_nothing() {
    const std::size_t status = results_.status;
    if (status == 0 || status >= evaluation_.outputs.size()) return false;
    if (!evaluation_.outputs[status].tensor.ne(0).any().item<bool>()) return false;
    Conditioning* probes = question_.conditioning();
    const at::Tensor& g = evaluation_.truths.front().hi;
    if (probes == nullptr || !g.defined()) return false;
    const BoundTerms bound = fused_bound(contract_of(evaluation_.outputs.front()));
    const at::Tensor b = g.abs() * bound.relative + probes->spread(0, 1) * bound.conditional;
    return b.gt(g.abs()).any().item<bool>();
  }

  void judge_outputs() {
    if (answers_nothing()) {
      conclude(Verdict::ill_conditioned,
               "its status says that there is no answer, and none in this precision has a digit");
      return;
    }
    std::optional<Judgement> worst = worst_judgement();
    if (worst && is_alarm(worst->verdict) && asks_again()) worst = worst_judgement();
    if (worst) return report(*worst);
    conclude(Verdict::unsupported, "no output has a right value to compare with");
  }

  std::optional<Judgement> worst_judgement() {
    std::optional<Judgement> worst;
    for (std::size_t i = 0; i < evaluation_.outputs.size(); ++i) {
      if (!evaluation_.truths[i].hi.defined()) continue;
      if (results_.is_bookkeeping(evaluation_.outputs[i], i)) continue;
      const Judgement judged = confirmed(judge_one(i));
      if (!worst || worse(judged.verdict, worst->verdict)) worst = judged;
    }
    return worst;
  }

  /// An alarm may be the fault of an oracle that was taken as it is quick.
  bool asks_again() {
    if (expect_ != nullptr && expect_->has_values()) return false;
    Truths dearer = question_.dearer_answer();
    if (dearer.size() != evaluation_.outputs.size()) return false;
    evaluation_.truths = std::move(dearer);
    name_oracle();
    return true;
  }

  /// A near miss on generated inputs must repeat on new ones (docs/verdict.md).
  Judgement confirmed(Judgement found) {
    if (!is_near_miss(found) || !subject_.regenerate ||
        (expect_ != nullptr && expect_->has_values())) {
      return found;
    }
    const Verdict again = on_new_inputs({});
    if (again >= Verdict::overflow && again != Verdict::unsupported) {
      found.verdict = Verdict::stable;
      found.message = "r was above 1 for one seed alone; new inputs keep the bound";
    }
    return found;
  }

  Verdict on_new_inputs(std::vector<std::string> relations) {
    Subject fresh = subject_;
    fresh.inputs = subject_.regenerate(settings_.seed ^ 0xC0FFEE);
    fresh.regenerate = nullptr;
    Settings settings = settings_;
    settings.relations = std::move(relations);
    settings.repeat = 1;
    return evaluate(fresh, settings, nullptr, where_).result.verdict;
  }

  void report(const Judgement& judged) {
    Result& r = result();
    conclude(judged.verdict, judged.message, judged.where);
    r.where = judged.where;
    if (judged.probed) r.oracle_seconds += question_.conditioning()->seconds();
    copy_distances(judged, r);
    if (!judged.numeric) return;
    if (settings_.variant == "eager") r.r_eager = r.r;
    if (r.message.empty()) r.message = evidence(judged, evaluation_.outputs, evaluation_.truths);
    const auto bound_of = [this](std::size_t i) {
      return fused_bound(contract_of(evaluation_.outputs[i]));
    };
    if (judged.verdict != Verdict::unstable || !question_.is_weak(bound_of)) return;
    r.verdict = Verdict::oracle_weak;
    r.message = "fp64 and quad differ by more than a sixteenth of the bound";
  }

  /// Another variant that is off by exactly what plain eager is off by: with no oracle wider than
  /// the program's own formula in double, the formula may be what is wrong.
  void compare_with_eager() {
    const bool alarm = is_alarm(result().verdict);
    if (settings_.variant == "eager" || (!execution_.parts.empty() && !alarm)) return;
    Settings settings = settings_;
    settings.variant = "eager";
    settings.relations.clear();
    settings.intended_path.clear();
    settings.repeat = 1;
    const Result eager = evaluate(subject_, settings, expect_, where_).result;
    if (execution_.parts.empty()) result().r_eager = eager.r;
    if (alarm && eager.verdict == result().verdict) result().tags.emplace_back(kAsEager);
    const Oracle* oracle = question_.oracle();
    const bool decided =
        result().oracle == "values" || (oracle != nullptr && oracle->wider_than_double);
    const bool alike = eager.verdict == result().verdict && eager.r == result().r &&
                       result().verdict > Verdict::masked;  // of a class there is no doubt
    if (alarm && alike && !decided && execution_.parts.empty()) {
      result().verdict = Verdict::inconclusive;
      result().message = "eager is off by the same error, and no wider oracle decides";
    }
  }

  void check_repeats() {
    if (!execution_.unsteady.empty()) conclude(Verdict::nondeterministic, execution_.unsteady);
    for (int i = 1; i < settings_.repeat; ++i) {
      const Execution again =
          execute_on(settings_.device, variant_, subject_.program, private_copy(subject_.inputs));
      if (digest(again.outputs) == result().digest) continue;
      conclude(Verdict::nondeterministic,
               "run " + std::to_string(i + 1) + " differs from run 1 in bits");
      return;
    }
  }

  /// The second answer against the oracle, as the first was; without one, against the first.
  Judgement judge_again(std::size_t i, const Output& again) {
    const Output& output = evaluation_.outputs[i];
    Contract contract = contract_of(output);
    Truth truth = i < evaluation_.truths.size() ? evaluation_.truths[i] : Truth{};
    if (!truth.hi.defined()) {
      contract.output_roundoff *= 2;
      contract.accumulator_roundoff *= 2;
      truth.hi = output.tensor.to(widened(output.tensor.scalar_type(), at::kDouble)).contiguous();
    }
    return judge(again, truth, contract,
                 {.conditioning = [this] { return question_.conditioning(); },
                  .output = i,
                  .is_gradient = is_gradient(output),
                  .first_input = nullptr,
                  .check_vacuity = false});
  }

  /// A relation says nothing new of an answer that is wrong by itself, and nothing at all where
  /// several answers are right.
  void check_relations() {
    if (result().verdict < Verdict::relation_broken) return;
    const Asked asked{variant_, subject_.program, subject_.inputs, settings_.device,
                      evaluation_.outputs};
    const bool decidable = subject_.program.traits.undecidable.empty();
    for (const std::string& name : settings_.relations) {
      const Relation& relation = relation_or_usage_error(name);
      if (!decidable && !relation.same_bits) continue;
      const auto broken = break_of(
          relation, asked, [this](std::size_t i, const Output& o) { return judge_again(i, o); });
      if (broken && broken->is_near_miss && subject_.regenerate &&
          on_new_inputs({name}) > Verdict::relation_broken) {
        continue;
      }
      const bool counts = broken && conclude(broken->verdict, broken->message, broken->where);
      if (counts) result().worst_index = broken->index;
    }
  }

  /// Each kernel against what it was given, the whole against the program without it.
  void judge_parts() {
    Settings settings = settings_;
    settings.contract = {};
    settings.oracle = "fp64";  // a product of what is given in double needs no wider one
    Result kernels = judged_parts(execution_.parts, [&](const Part& part, const Inputs& operands) {
      const Subject subject{part.program, operands, subject_.dtype, {}};
      return Evaluator(subject, settings, nullptr, where_, &part.outputs).run().result;
    });
    if (concluded_ && !evaluation_.truths.empty()) return;  // of another shape than the program's
    concluded_ = false;  // without a right value of the whole, the kernels are judged all the same
    if (!evaluation_.truths.empty())
      kernels = with_whole(kernels, evaluation_.outputs, evaluation_.truths);
    copy_numbers(kernels, result());
    conclude(kernels.verdict, kernels.message, kernels.where);
    result().worst_index = kernels.worst_index;
    std::ranges::move(kernels.tables, std::back_inserter(result().tables));
  }

  void check_path() {
    std::string why;
    if (path_matches(full_path_, settings_.intended_path, why)) return;
    conclude(Verdict::fallback, why);
  }

  const Subject& subject_;
  const Settings& settings_;
  const Expectation* expect_;
  const std::string& where_;
  const Outputs* answer_;  // computed elsewhere; null: the variant is asked
  const Variant& variant_;
  const OraclesOn oracles_on_;
  Question question_;
  Promise promised_ = Promise::fused;
  const ResultTraits results_ = result_traits_of(subject_.program.name);
  bool drew_ = false;
  std::vector<std::string> full_path_;
  Execution execution_;  // but for its outputs
  bool concluded_ = false;
  Evaluation evaluation_;
};

}  // namespace

Evaluation evaluate(const Subject& subject, const Settings& settings, const Expectation* expect,
                    const std::string& where) {
  return Evaluator(subject, settings, expect, where).run();
}

}  // namespace plumb
