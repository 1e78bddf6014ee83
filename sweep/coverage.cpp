#include "sweep/coverage.hpp"

#include "sweep/unit.hpp"

namespace plumb {
namespace {

constexpr int kCases = 2;  // normal and uniform numbers

void add_answer(const Json& unit, const Outcome& outcome, Coverage& covered) {
  const bool is_gradient = unit["gradient"];
  const bool judged = outcome.answered() && !outcome.answer["row"].is_null();
  (is_gradient ? covered.gradient : covered.forward) |= judged;
  if (judged || is_gradient) return;
  if (!outcome.answered()) {
    covered.why_not = outcome.reason;
  } else if (outcome.answer["judged"] != 0) {
    covered.why_not = "its results on ordinary numbers decide nothing";
  } else {
    covered.why_not = outcome.answer["why"];
  }
}

}  // namespace

std::map<std::string, Coverage> coverage(Zygote& zygote, const std::vector<std::string>& patterns) {
  std::map<std::string, Coverage> all;
  std::vector<Json> units;
  for (const Target& target : targets(patterns)) {
    const c10::OperatorName& name = target.handle.operator_name();
    Coverage& covered = all[name.name];
    covered.overloads.push_back(name.overload_name);
    if (target.why_not) {
      if (covered.why_not.empty()) covered.why_not = *target.why_not;
      continue;
    }
    for (const bool gradient : {false, true}) {
      units.push_back(sweep_unit(target, "float32", gradient, kCases, {}));
    }
  }
  run_isolated(zygote, units, worker_count(0, 1), {}, [&](std::size_t index, Outcome outcome) {
    const auto op = units[index]["op"].get<std::string>();
    add_answer(units[index], outcome, all[op.substr(0, op.find('.'))]);
  });
  for (auto& [name, covered] : all) {
    if (covered.forward) covered.why_not.clear();
  }
  return all;
}

}  // namespace plumb
