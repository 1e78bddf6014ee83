#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/isolate.hpp"
#include "harness/registry.hpp"
#include "harness/result.hpp"
#include "harness/subject.hpp"

namespace plumb {

/// What a person asked for on the command line, for every subcommand that executes something.
struct Options {
  std::uint64_t seed = 0;
  bool seed_given = false;
  int threads = 1;
  int jobs = 0;  // 0: as many workers as cores / threads
  Limits limits;
  int repeat = 1;
  std::string oracle = "auto";
  std::string contract;  // "", "fused" or "composite"
  std::vector<std::string> relations;
  bool relations_given = false;
  std::vector<std::string> libraries;   // files, loaded in every worker
  std::vector<std::string> references;  // [GLOB=]OP
  std::vector<std::string> variants;    // empty: the scenario's or case's own
  std::vector<std::string> dtypes;
  std::vector<std::string> devices;  // empty: the case's own; cpu for a scenario
};

/// The variants to run in: those a person named, else eager.
std::vector<std::string> variants_of(const Options& options);

/// What every task carries of them.
Json common_fields(const Options& options);

/// The same for a case that holds its seed, oracle and relations itself.
Json flags_beside_case(Json fields);

/// What the fields of a task change in the settings of a case.
void apply_fields(const Json& task, Settings& settings);

/// The fields that are no defaults as flags, each with a space before it, for the replay line.
std::string replay_flags(const Json& task);

/// A unit of work for a worker process: one stored case or one arm of a scenario. A case runs in
/// `overrides` ({"dtype":…, "variant":…, "device":…}) instead of its own; in another dtype its
/// `expect` does not apply.
Json case_task(const std::string& file, const Options& options,
               const Json& overrides = Json::object());
Json arm_task(const std::string& scenario, const std::string& arm, const std::string& dtype,
              bool dtype_is_default, const std::string& variant, const std::string& device,
              const std::vector<std::pair<std::string, double>>& params, const Options& options);

/// Another kind of task, which other folders add: {"kind": name, …}.
struct TaskKind {
  std::string name;
  Zygote::Serve serve;
};

/// Runs a task in this process and returns the row as JSON; for a task with "inspect" reads the
/// case and returns the `id` its row will have and its `operators`. This is what workers serve. Of
/// a case it first announces the row as far as it is known before any tensor is made.
Json serve_task(const Json& task, const Zygote::Announce& announce);

/// The row of a task whose worker gave no answer, from what it announced. Nothing that a person
/// wrote is read here: that may be what killed the worker.
Result failed_task(const Json& task, const Outcome& outcome);

/// Which arms of which scenarios: the product of names (glob patterns), arms, dtypes, variants and
/// devices. UsageError, with the nearest name, for a pattern that selects nothing.
std::vector<Json> arm_tasks(const std::vector<std::string>& patterns, const std::string& arm,
                            const std::vector<std::pair<std::string, double>>& params,
                            const Options& options);

/// Runs tasks in worker processes. `each` is called for every row as it comes; rows are returned in
/// the order of the tasks.
std::vector<Result> run_tasks(Zygote& zygote, const std::vector<Json>& tasks,
                              const Options& options,
                              const std::function<void(const Result&)>& each);

}  // namespace plumb
