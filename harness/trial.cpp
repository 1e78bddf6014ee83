#include "harness/trial.hpp"

#include "harness/digest.hpp"
#include "harness/dtype.hpp"
#include "harness/evidence.hpp"
#include "harness/placement.hpp"
#include "harness/run.hpp"
#include "harness/trace.hpp"
#include "harness/variant.hpp"

namespace plumb {

Trial::Trial(Settings settings, c10::ScalarType dtype, std::map<std::string, double> params)
    : settings_(std::move(settings)), dtype_(dtype), params_(std::move(params)) {
  result_.variant = settings_.variant;
  result_.dtype = dtype_name(dtype_);
  result_.device = settings_.device.str();
  result_.seed = settings_.seed;
  result_.threads = settings_.threads;
}

void Trial::conclude(Verdict verdict, const std::string& where, const std::string& message) {
  if (decided_ && !worse(verdict, result_.verdict)) return;
  decided_ = true;
  result_.verdict = verdict;
  result_.where = where;
  result_.message = message;
  result_.worst_index.clear();  // it belongs to the place named before
}

void Trial::skip(const std::string& why) {
  decided_ = false;
  conclude(Verdict::skipped, "", why);
}

void Trial::require(const std::string& invariant, bool holds, const std::string& evidence) {
  conclude(holds ? Verdict::stable : Verdict::invariant_broken, invariant,
           invariant + ": " + evidence);
}

void Trial::adopt(const Result& judged) {
  const bool leads = !decided_ || worse(judged.verdict, result_.verdict);
  conclude(judged.verdict, judged.where, judged.message);
  if (leads) result_.worst_index = judged.worst_index;
  if (leads || !result_.r) copy_numbers(judged, result_);
  if (result_.path.empty()) {
    result_.path = judged.path;
    result_.path_hash = judged.path_hash;
  }
  result_.oracle_seconds += judged.oracle_seconds;
}

std::function<Outputs(const Inputs&)> Trial::prepare(const Program& program,
                                                     const Inputs& example) {
  ran_variant_ = true;
  const Variant& variant = variant_or_usage_error(settings_.variant);
  if (const auto why = variant.unavailable(program, device())) throw CannotRun(*why);
  if (variant.prepare) {
    return [prepared = variant.prepare(program, example, device())](const Inputs& inputs) {
      return prepared(inputs).outputs;
    };
  }
  return [&variant, program, device = device()](const Inputs& inputs) {
    return variant.execute(program, inputs, device).outputs;
  };
}

Outputs Trial::judge(const Program& program, const Inputs& inputs) {
  ran_variant_ = true;
  const Subject subject{program, placed_on(c10::kCPU, cast(inputs, dtype_)), dtype_, {}};
  Evaluation evaluation = evaluate(subject, settings_);
  if (evaluation.result.verdict == Verdict::skipped) throw CannotRun(evaluation.result.message);
  adopt(evaluation.result);
  for (const Output& output : evaluation.outputs) outputs_.push_back(output);
  return std::move(evaluation.outputs);
}

void Trial::judge_outputs(const Program& program, const Inputs& inputs, const Outputs& outputs,
                          const Outputs& truths) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const at::Tensor wide = truths[i].tensor.to(at::kDouble).contiguous();
    const Contract contract =
        contract_for(outputs[i].tensor.scalar_type(), program.traits, inputs, 0);
    const Judgement judged = plumb::judge(outputs[i], {outputs[i].name, wide, {}}, contract, {});
    Result row;
    row.verdict = judged.verdict;
    row.where = judged.where;
    row.message = judged.message;
    copy_distances(judged, row);
    adopt(row);
    outputs_.push_back(outputs[i]);
  }
}

std::vector<std::string> Trial::traced(const std::function<void()>& function) {
  const Trace trace;
  function();
  result_.path = readable_path(trace.path());
  result_.path_hash = path_hash(trace.path());
  return trace.path();
}

void Trial::output(const std::string& name, const at::Tensor& tensor) {
  outputs_.push_back({name, tensor.detach().to(c10::kCPU, tensor.scalar_type(), false, true)});
}

void Trial::series(std::string name, std::vector<double> x, std::vector<double> y) {
  result_.series.push_back({std::move(name), std::move(x), std::move(y)});
}

void Trial::table(std::string name, std::vector<std::string> columns,
                  std::vector<std::vector<Cell>> rows) {
  result_.tables.push_back({std::move(name), std::move(columns), std::move(rows)});
}

void Trial::tag(std::string tag) { result_.tags.push_back(std::move(tag)); }

void Trial::note(const std::string& message) {
  if (result_.message.empty()) result_.message = message;
}

Result Trial::finish() {
  const bool was_skipped = decided_ && result_.verdict == Verdict::skipped;  // it says why
  if (settings_.variant != "eager" && !ran_variant_ && !was_skipped) {
    skip("what this arm checks does not depend on how a program is executed");
  }
  if (!decided_) conclude(Verdict::vacuous, "", "the arm judged nothing and required nothing");
  if (!outputs_.empty()) result_.digest = digest(outputs_);
  return std::move(result_);
}

}  // namespace plumb
