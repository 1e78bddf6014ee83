#include "findings/reduce_task.hpp"

#include <algorithm>

#include <ATen/Parallel.h>

#include "findings/inline_case.hpp"
#include "findings/observation.hpp"
#include "harness/case.hpp"
#include "harness/digest.hpp"
#include "harness/errors.hpp"
#include "harness/run.hpp"
#include "harness/task.hpp"

namespace plumb {
namespace {

Result judge(const Json& stored, const std::string& file, const Json& flags,
             const Zygote::Announce& announce, Json* seen) {
  at::set_num_threads(flags["threads"].get<int>());
  const Case parsed = case_from_json(stored, file, [&](Case& known) {
    apply_fields(flags, known.settings);
    if (announce) announce(to_json(unanswered_case(known)));
  });
  Result row = run_case(parsed);
  if (seen != nullptr) *seen = observed(parsed, row);
  return row;
}

Json serve_evaluate(const Json& task, const Zygote::Announce& announce) {
  Json seen;
  try {
    const Result row = judge(task["case"], task["file"], task["flags"], announce,
                             task["observe"].get<bool>() ? &seen : nullptr);
    return {{"row", to_json(row)}, {"seen", seen}};
  } catch (const InputError& error) {
    if (task["strictly"].get<bool>()) throw;
    return {{"why", error.what()}};
  }
}

Json serve_inline(const Json& task, const Zygote::Announce&) {
  return {{"case", inline_case(task["case"], task["file"])}};
}

Json triggers_json(const std::vector<Trigger>& triggers) {
  Json list = Json::array();
  for (const Trigger& trigger : triggers) list.push_back(to_json(trigger));
  return list;
}

Json serve_minimize(const Json& task, const Zygote::Announce& announce) {
  const std::string file = task["file"];
  const std::vector<std::string> lethal = task["lethal"];
  const Bench bench{.judge = [&](const Json& stored) -> std::optional<Result> {
                      const std::string candidate = short_hash(stored.dump());
                      if (std::find(lethal.begin(), lethal.end(), candidate) != lethal.end())
                        return std::nullopt;
                      announce({{"candidate", candidate}});
                      try {
                        return judge(stored, file, task["flags"], {}, nullptr);
                      } catch (const InputError&) {
                        return std::nullopt;
                      }
                    },
                    .inlined = [&](const Json& stored) { return inline_case(stored, file); }};
  const Effort effort{.evaluations = task["evaluations"],
                      .triggers = task["triggers"],
                      .trigger_attempts = task["trigger_attempts"]};
  const Minimised result = minimised(task["case"], bench, effort);
  return {{"case", result.stored},         {"found", to_json(result.found)},
          {"row", to_json(result.row)},    {"evaluations", result.evaluations},
          {"exhausted", result.exhausted}, {"triggers", triggers_json(result.triggers)}};
}

const Register<TaskKind> evaluate_kind{{.name = "evaluate", .serve = serve_evaluate}};
const Register<TaskKind> inline_kind{{.name = "inline", .serve = serve_inline}};
const Register<TaskKind> minimize_kind{{.name = "minimize", .serve = serve_minimize}};

}  // namespace

Json evaluate_task(const Json& stored, const std::string& file, const Json& flags, bool strictly,
                   bool observe) {
  return {{"kind", "evaluate"},
          {"case", stored},
          {"file", file},
          {"flags", flags},
          {"libraries", flags["libraries"]},
          {"strictly", strictly},
          {"observe", observe}};
}

Json inline_task(const Json& stored, const std::string& file, const Json& flags) {
  return {{"kind", "inline"}, {"case", stored}, {"file", file}, {"libraries", flags["libraries"]}};
}

Json minimize_task(const Json& stored, const std::string& file, const Json& flags,
                   const Effort& effort) {
  return {{"kind", "minimize"},
          {"case", stored},
          {"file", file},
          {"flags", flags},
          {"libraries", flags["libraries"]},
          {"evaluations", effort.evaluations},
          {"triggers", effort.triggers},
          {"trigger_attempts", effort.trigger_attempts},
          {"lethal", Json::array()}};
}

Minimised minimised_from(const Json& answer) {
  Minimised result{.stored = answer["case"],
                   .found = result_from_json(answer["found"], "worker"),
                   .row = result_from_json(answer["row"], "worker"),
                   .evaluations = answer["evaluations"],
                   .exhausted = answer["exhausted"],
                   .triggers = {}};
  for (const Json& trigger : answer["triggers"]) {
    result.triggers.push_back(
        {trigger["argument"], trigger["value"], trigger["low"], trigger["high"]});
  }
  return result;
}

}  // namespace plumb
