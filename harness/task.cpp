#include "harness/task.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <ATen/Parallel.h>

#include "harness/case.hpp"
#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/json_fields.hpp"
#include "harness/library.hpp"
#include "harness/run.hpp"
#include "harness/scenario.hpp"
#include "harness/text.hpp"
#include "harness/variant.hpp"

namespace plumb {
namespace {

std::optional<Promise> contract_from(const std::string& word) {
  if (word.empty()) return std::nullopt;
  if (word == "fused") return Promise::fused;
  if (word == "composite") return Promise::composite;
  throw UsageError("unknown contract '" + word + "'; expected fused or composite");
}

/// The stored case with what the command line puts in the place of its own.
Case case_of(const Json& task, const KnownCase& known = {}) {
  const std::string file = task["case"];
  Json json = read_json_file(file);
  const Json overrides = task.value("overrides", Json::object());
  if (!json.is_object() || overrides.empty()) return case_from_json(json, file, known);
  const auto dtype = [](const Json& of) {
    const auto found = of.find("dtype");
    return found != of.end() && found->is_string() ? dtype_from(found->get<std::string>())
                                                   : std::nullopt;
  };
  // What is right, and what a known defect does, was written down for the case's own dtype.
  if (overrides.contains("dtype") && dtype(overrides) != dtype(json)) json.erase("expect");
  json.update(overrides);
  return case_from_json(json, file, known);
}

Result serve_case(const Json& task, const Zygote::Announce& announce) {
  Case stored = case_of(task, [&](Case& known) {
    apply_fields(task, known.settings);
    Result row = unanswered_case(known);
    row.replay += replay_flags(task);
    announce(to_json(row));
  });
  if (task["seed_given"].get<bool>() && stored.subject.regenerate) {
    stored.subject.inputs = stored.subject.regenerate(stored.settings.seed);
  }
  return run_case(stored);
}

Json inspect(const Json& task) {
  const Case stored = case_of(task, [&](Case& known) { apply_fields(task, known.settings); });
  return {{"id", unanswered_case(stored).id},
          {"operators", stored.operators},
          {"device", stored.settings.device.str()}};
}

ArmRequest arm_request(const Json& task) {
  ArmRequest request;
  request.scenario = task["scenario"];
  request.arm = task["arm"];
  request.dtype = *dtype_from(task["dtype"].get<std::string>());
  request.dtype_is_default = task["dtype_is_default"];
  request.settings.variant = task["variant"];
  request.settings.device = c10::Device(task["device"].get<std::string>());
  for (const auto& [name, value] : task["params"].items()) {
    request.params.emplace_back(name, number_from_json(value));
  }
  apply_fields(task, request.settings);
  return request;
}

/// One task per dtype, variant and device. Without --dtype: the arm's own.
std::vector<Json> tasks_of_arm(const Scenario& scenario, const std::string& name,
                               const std::vector<std::pair<std::string, double>>& params,
                               const Options& options) {
  std::vector<Json> tasks;
  const Arm& arm = arm_of(scenario, name);
  if (!arm.run) return tasks;
  std::vector<std::string> dtypes;
  for (const c10::ScalarType dtype : arm.dtypes) {
    const std::string word = dtype_name(dtype);
    const bool chosen =
        options.dtypes.empty() ||
        std::any_of(options.dtypes.begin(), options.dtypes.end(),
                    [&](const auto& d) { return dtype_or_usage_error(d) == dtype; });
    if (chosen) dtypes.push_back(word);
  }
  const auto variants = variants_of(options);
  const auto devices = options.devices.empty() ? std::vector<std::string>{"cpu"} : options.devices;
  for (const std::string& dtype : dtypes) {
    for (const std::string& variant : variants) {
      variant_or_usage_error(variant);
      for (const std::string& device : devices) {
        tasks.push_back(arm_task(scenario.name, name, dtype, arm.dtypes.size() == 1, variant,
                                 device_or_usage_error(device).str(), params, options));
      }
    }
  }
  return tasks;
}

}  // namespace

std::vector<std::string> variants_of(const Options& options) {
  return options.variants.empty() ? std::vector{Settings().variant} : options.variants;
}

Json common_fields(const Options& options) {
  return {{"seed", options.seed},
          {"seed_given", options.seed_given},
          {"threads", options.threads},
          {"repeat", options.repeat},
          {"oracle", options.oracle},
          {"contract", options.contract},
          {"relations", options.relations},
          {"libraries", options.libraries},
          {"references", options.references},
          {"timeout", options.limits.timeout_seconds},
          {"memory", options.limits.memory_bytes}};
}

Json flags_beside_case(Json fields) {
  Json flags = common_fields({});
  for (const char* name : {"threads", "contract", "libraries", "references", "timeout", "memory"}) {
    flags[name] = std::move(fields[name]);
  }
  return flags;
}

void apply_fields(const Json& task, Settings& settings) {
  settings.threads = task["threads"];
  settings.repeat = task["repeat"];
  if (task["seed_given"].get<bool>()) settings.seed = task["seed"];
  if (task["oracle"] != "auto") settings.oracle = task["oracle"];
  settings.contract = contract_from(task["contract"]);
  for (const Json& relation : task["relations"]) settings.relations.push_back(relation);
  settings.references = rules_of(task["references"]);
}

std::string replay_flags(const Json& task) {
  std::string flags;
  const Json overrides = task.value("overrides", Json::object());
  for (const auto& [name, value] : overrides.items()) {
    flags += " --" + name + " " + value.get<std::string>();
  }
  if (task["seed_given"].get<bool>()) flags += " --seed " + task["seed"].dump();
  if (task["threads"] != 1) flags += " --threads " + task["threads"].dump();
  if (task["repeat"] != 1) flags += " --repeat " + task["repeat"].dump();
  if (task["oracle"] != "auto") flags += " --oracle " + task["oracle"].get<std::string>();
  if (task["contract"] != "") flags += " --contract " + task["contract"].get<std::string>();
  std::vector<std::string> relations = task["relations"];
  if (!relations.empty()) flags += " --relations " + joined(relations, ",");
  for (const Json& file : task["libraries"]) {
    flags += " --load-library " + shell_quoted(file.get<std::string>());
  }
  for (const Json& text : task["references"]) {
    flags += " --reference " + shell_quoted(text.get<std::string>());
  }
  const Limits usual;
  if (task["timeout"] != usual.timeout_seconds) {
    flags += " --timeout " + shortest(task["timeout"].get<double>()) + "s";
  }
  if (task["memory"] != usual.memory_bytes) {
    flags += " --memory " + size_text(task["memory"].get<std::uint64_t>());
  }
  return flags;
}

Json case_task(const std::string& file, const Options& options, const Json& overrides) {
  Json task = common_fields(options);
  task["case"] = file;
  task["overrides"] = overrides;
  return task;
}

Json arm_task(const std::string& scenario, const std::string& arm, const std::string& dtype,
              bool dtype_is_default, const std::string& variant, const std::string& device,
              const std::vector<std::pair<std::string, double>>& params, const Options& options) {
  Json task = common_fields(options);
  task["scenario"] = scenario;
  task["arm"] = arm;
  task["dtype"] = dtype;
  task["dtype_is_default"] = dtype_is_default;
  task["variant"] = variant;
  task["device"] = device;
  task["params"] = Json::object();
  for (const auto& [name, value] : params) task["params"][name] = number_to_json(value);
  return task;
}

Json serve_task(const Json& task, const Zygote::Announce& announce) {
  for (const Json& file : task.value("libraries", Json::array())) load_library(file);
  if (task.contains("kind")) {
    return Registry<TaskKind>::instance()
        .find(task["kind"].get<std::string>())
        ->serve(task, announce);
  }
  at::set_num_threads(task["threads"].get<int>());
  if (task.contains("inspect")) return inspect(task);
  Result result = task.contains("case") ? serve_case(task, announce) : run_arm(arm_request(task));
  result.replay += replay_flags(task);
  return to_json(result);
}

Result failed_task(const Json& task, const Outcome& outcome) {
  Result result;
  if (!task.contains("case")) {
    result = unanswered_arm(arm_request(task));
    result.replay += replay_flags(task);
  } else if (!outcome.label.is_null()) {
    result = result_from_json(outcome.label, "worker");
  } else {  // it ended while it read the file
    const auto file = task["case"].get<std::string>();
    result.name = std::filesystem::path(file).stem().string();
    result.arm = "case";
    result.dtype = "mixed";
    result.id = result_id(result, task.dump());
    result.replay = "plumb replay " + shell_quoted(file) + replay_flags(task);
  }
  if (task["seed_given"].get<bool>()) result.seed = task["seed"];
  result.threads = task["threads"];
  result.verdict = outcome.failure;
  result.message = outcome.reason;
  result.seconds = outcome.seconds;
  result.ok = is_ok(result);
  return result;
}

namespace {

/// The row of a task however it ended. A worker that was damaged may answer anything.
Result row_of(const Json& task, Outcome& outcome, const Limits& limits) {
  try {
    if (!outcome.answered()) return failed_task(task, outcome);
    Result result = result_from_json(outcome.answer, "worker");
    if (result.verdict == Verdict::out_of_memory) result.message += "; " + limit_in_words(limits);
    return result;
  } catch (const InputError& error) {
    outcome.failure = Verdict::crashed;
    outcome.reason = std::string("its answer is no result: ") + error.what();
    outcome.label = Json();
    return failed_task(task, outcome);
  }
}

}  // namespace

std::vector<Json> arm_tasks(const std::vector<std::string>& patterns, const std::string& arm,
                            const std::vector<std::pair<std::string, double>>& params,
                            const Options& options) {
  const auto& scenarios = Registry<Scenario>::instance();
  const std::vector<std::string> arms =
      arm == "both" ? std::vector<std::string>{"faulty", "fixed"} : std::vector<std::string>{arm};
  std::vector<Json> tasks;
  for (const std::string& pattern : patterns) {
    const auto matches = [&](const Scenario& s) { return glob_matches(pattern, s.name); };
    if (std::none_of(scenarios.all().begin(), scenarios.all().end(), matches)) {
      throw UsageError("no scenario is called '" + pattern + "'" +
                       suggestion(pattern, scenarios.names()));
    }
  }
  for (const Scenario& scenario : scenarios.all()) {
    const bool wanted = patterns.empty() ||
                        std::any_of(patterns.begin(), patterns.end(), [&](const std::string& p) {
                          return glob_matches(p, scenario.name);
                        });
    if (!wanted) continue;
    check_parameters(scenario, params);
    for (const std::string& name : arms) {
      const auto more = tasks_of_arm(scenario, name, params, options);
      tasks.insert(tasks.end(), more.begin(), more.end());
    }
  }
  if (tasks.empty()) {
    throw UsageError("nothing is selected: no scenario here has the arm and dtype asked for");
  }
  return tasks;
}

std::vector<Result> run_tasks(Zygote& zygote, const std::vector<Json>& tasks,
                              const Options& options,
                              const std::function<void(const Result&)>& each) {
  const int jobs = worker_count(options.jobs, options.threads);
  Limits limits = options.limits;
  limits.threads = options.threads;
  std::map<std::size_t, Result> rows;
  run_isolated(zygote, tasks, jobs, limits, [&](std::size_t index, Outcome outcome) {
    each(rows[index] = row_of(tasks[index], outcome, limits));
  });
  std::vector<Result> results;
  for (auto& [index, row] : rows) results.push_back(std::move(row));
  return results;
}

}  // namespace plumb
