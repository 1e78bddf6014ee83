#include "sweep/unit.hpp"

#include <map>

#include <ATen/Parallel.h>

#include "findings/repro.hpp"
#include "harness/case.hpp"
#include "harness/digest.hpp"
#include "harness/errors.hpp"
#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variant.hpp"
#include "sweep/planner.hpp"
#include "sweep/sweep_case.hpp"

namespace plumb {
namespace {

/// What a sweep counts apart: no evidence, and no fault either.
bool is_undecided(Verdict verdict) {
  return verdict == Verdict::vacuous || verdict == Verdict::inconclusive ||
         verdict == Verdict::oracle_weak;
}

/// A sweep of eager finds it.
bool shared_with_eager(const Result& result) {
  return std::find(result.tags.begin(), result.tags.end(), kAsEager) != result.tags.end();
}

/// Adds up the results of a unit.
class Tally {
 public:
  Tally(bool of_gradients, bool has_reference)
      : of_gradients_(of_gradients), has_reference_(has_reference) {}

  void add(const Json& json, const Result& result) {
    bits_ += std::string(to_string(result.verdict)) + result.digest;
    // Of another shape than its reference's is wrong; than in double, torch has its reasons.
    const bool refused = result.digest.empty() || !has_reference_;
    if (result.verdict == Verdict::error && refused) return leave_out(result.message);
    if (result.verdict == Verdict::skipped) return skip(result.message);
    if (result.verdict == Verdict::unsupported) return leave_out(result.message);
    // The forward unit says it; of the gradient, which came out better, nothing is known.
    if (of_gradients_ && !result.ok && !result.where.starts_with("grad:")) return;
    ++judged_;
    ++verdicts_[std::string(to_string(result.verdict)) +
                (shared_with_eager(result) ? std::string(" ") + kAsEager : "")];
    if (is_undecided(result.verdict)) return;
    if (shared_with_eager(result)) return;
    if (!row_ || more_urgent(result, *row_)) row_ = result;
    if (!result.ok) keep_alarm(json, result);
  }

  /// A case that the variant does not take, or all of them.
  void skip(const std::string& why) {
    skipped_ = true;
    leave_out(why);
  }

  /// The first reason stands for all.
  void leave_out(const std::string& why) {
    if (left_out_++ == 0) why_ = why;
  }

  Json answer() const {
    Json answer{{"judged", judged_},
                {"verdicts", verdicts_},
                {"left_out", left_out_},
                {"why", why_},
                {"skipped", skipped_},
                {"digest", short_hash(bits_)},
                {"row", row_ ? to_json(*row_) : Json()},
                {"alarms", Json::array()}};
    for (const auto& [kind, alarm] : alarms_) {
      answer["alarms"].push_back({{"row", to_json(alarm.row)}, {"case", alarm.json}});
    }
    return answer;
  }

 private:
  struct Alarm {
    Result row;
    Json json;
  };

  /// The worst of each verdict, output and path.
  void keep_alarm(Json json, const Result& result) {
    if (const std::string relation = broken_relation(result); !relation.empty()) {
      json["relations"] = {relation};
    }
    const std::string kind =
        std::string(to_string(result.verdict)) + "/" + result.where + "/" + result.path_hash;
    const auto [place, is_new] = alarms_.try_emplace(kind, Alarm{result, json});
    if (!is_new && result.severity.value_or(0) > place->second.row.severity.value_or(0)) {
      place->second = {result, json};
    }
  }

  bool of_gradients_;
  bool has_reference_;
  int judged_ = 0;
  int left_out_ = 0;
  bool skipped_ = false;  // by the variant
  std::string why_;
  std::string bits_;
  std::map<std::string, int> verdicts_;
  std::optional<Result> row_;
  std::map<std::string, Alarm> alarms_;
};

void judge_one(const Json& unit, const Json& json, Tally& tally) {
  try {
    const Case stored =
        case_from_json(json, "sweep", [&](Case& known) { apply_fields(unit, known.settings); });
    tally.add(json, run_case(stored));
  } catch (const InputError& error) {  // no gradient, or a shape that this length makes impossible
    tally.leave_out(error.what());
  }
}

/// Compiles all cases of a unit together where the variant can; only a saving.
void make_ready(const Json& unit, const std::map<int, Json>& jsons) {
  const Variant& variant = variant_or_usage_error(unit["variant"]);
  if (!variant.prepare_many) return;
  std::vector<Case> cases;
  for (const auto& [index, json] : jsons) {
    try {
      cases.push_back(
          case_from_json(json, "sweep", [&](Case& known) { apply_fields(unit, known.settings); }));
    } catch (const InputError&) {  // judge_one says why
    }
  }
  std::vector<Planned> planned;
  for (const Case& stored : cases) {
    const Program& program = stored.subject.program;
    if (variant.unavailable(program, c10::kCPU)) continue;
    planned.push_back({program, stored.subject.inputs});
  }
  if (!planned.empty()) variant.prepare_many(planned, c10::kCPU);
}

}  // namespace

std::string broken_relation(const Result& result) {
  const auto comma = result.where.rfind(", ");
  return is_about_two_answers(result) && comma != std::string::npos ? result.where.substr(comma + 2)
                                                                    : "";
}

Json sweep_unit(const Target& target, const std::string& dtype, bool gradient, int cases,
                const Options& options) {
  Json unit = common_fields(options);
  unit["seed_given"] = false;  // every case has a seed of its own, which follows from this one
  unit["references"] = Json::array();
  if (reference_of(target.handle, rules_of(options.references))) {
    unit["references"] = {rule_for(target.name, rules_of(options.references))->text()};
  }
  unit.update({{"kind", "sweep"},
               {"op", target.name},
               {"dtype", dtype},
               {"gradient", gradient},
               {"variant", "eager"},
               {"device", "cpu"},
               {"cases", cases},
               {"together", true},  // what can be compiled together is
               {"skip", Json::array()}});
  return unit;
}

Json serve_sweep(const Json& unit, const Zygote::Announce& announce) {
  const CaseSource source{
      .op = unit["op"], .dtype = unit["dtype"], .gradient = unit["gradient"], .seed = unit["seed"]};
  const c10::OperatorHandle handle = operator_named(source.op).value();
  at::set_num_threads(unit["threads"].get<int>());
  announce({{"index", -1}});
  std::string why;
  const auto reference = reference_of(handle, rules_of(unit["references"]));
  const std::vector<Plan> plans =
      plans_for({handle, reference ? &*reference : nullptr, source.dtype}, why);
  Tally tally(source.gradient, reference.has_value());
  const c10::Device device(unit["device"].get<std::string>());
  if (const auto none = device_unavailable(device)) {
    tally.skip(*none);
    return tally.answer();
  }
  if (plans.empty()) tally.leave_out(why);
  const std::vector<int> skip = unit["skip"];
  std::map<int, Json> cases;
  for (int i = 0; !plans.empty() && i < unit["cases"].get<int>(); ++i) {
    if (std::find(skip.begin(), skip.end(), i) != skip.end()) continue;
    Json json = sweep_case(source, plans, i);
    if (unit["variant"] != "eager") json["variant"] = unit["variant"];
    if (!device.is_cpu()) json["device"] = unit["device"];
    if (source.gradient && json["grad"].empty()) continue;  // of integers
    cases[i] = std::move(json);
  }
  if (unit["together"]) make_ready(unit, cases);
  for (const auto& [i, json] : cases) {
    announce({{"index", i}, {"case", json}});
    judge_one(unit, json, tally);
  }
  return tally.answer();
}

}  // namespace plumb
