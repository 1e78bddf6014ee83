#include "harness/select_cases.hpp"

#include <filesystem>
#include <map>
#include <set>

#include "harness/case.hpp"
#include "harness/errors.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  std::set<fs::path> seen;
  for (const std::string& path : paths) {
    for (const std::string& file : case_files(path)) {
      // What has no canonical name, such as a pipe, is itself; reading it says what is wrong.
      std::error_code error;
      const fs::path canonical = fs::weakly_canonical(file, error);
      if (seen.insert(error ? fs::path(file) : canonical).second) files.push_back(file);
    }
  }
  return files;
}

/// `tasks` once for each of the values, or as they are when there is none.
std::vector<Json> times(const std::vector<Json>& overrides, const std::string& field,
                        const std::vector<std::string>& values) {
  if (values.empty()) return overrides;
  std::vector<Json> product;
  for (const Json& before : overrides) {
    for (const std::string& value : values) {
      product.push_back(before);
      product.back()[field] = value;
    }
  }
  return product;
}

/// Leaves each task the references that its operators take, so that its replay line runs alone.
void share_references(std::vector<Json>& tasks, const std::vector<Json>& inspected,
                      const Options& options) {
  const std::vector<ReferenceRule> rules = rules_of(options.references);
  std::vector<std::string> all;
  bool all_known = true;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    all_known = all_known && !inspected[i].is_null();
    if (inspected[i].is_null()) continue;
    std::set<const ReferenceRule*> taken;
    for (const std::string name : inspected[i]["operators"]) {
      taken.insert(rule_for(name, rules));
      all.push_back(name);
    }
    tasks[i]["references"] = Json::array();
    for (const ReferenceRule& rule : rules) {
      if (taken.contains(&rule)) tasks[i]["references"].push_back(rule.text());
    }
  }
  if (all_known) check_selects(rules, all);
}

/// Reads every case. A worker that dies over one says nothing here: the run will report it.
void check_cases(Zygote& zygote, std::vector<Json>& given, const Options& options) {
  std::vector<Json> tasks = given;
  for (Json& task : tasks) task["inspect"] = true;
  std::map<std::string, std::size_t> first;
  std::vector<Json> inspected(tasks.size());
  run_isolated(zygote, tasks, worker_count(options.jobs, 1), options.limits,
               [&](std::size_t index, Outcome outcome) {
                 if (outcome.answered()) inspected[index] = outcome.answer;
               });
  share_references(given, inspected, options);
  for (std::size_t i = 0; i < inspected.size(); ++i) {
    if (inspected[i].is_null()) continue;
    given[i]["device"] = inspected[i]["device"];  // workers are made ready for it
    const auto [earlier, is_new] = first.emplace(inspected[i]["id"], i);
    if (is_new) continue;
    throw InputError(tasks[i]["case"].get<std::string>() +
                     ": is the same case under the same name as " +
                     tasks[earlier->second]["case"].get<std::string>() +
                     "; expected one of them to be left out or to have another \"name\"");
  }
}

}  // namespace

std::vector<Json> case_tasks(Zygote& zygote, const std::vector<std::string>& paths,
                             const Options& options) {
  std::vector<Json> overrides = {Json::object()};
  overrides = times(overrides, "dtype", options.dtypes);
  overrides = times(overrides, "variant", options.variants);
  overrides = times(overrides, "device", options.devices);
  std::vector<Json> tasks;
  for (const std::string& file : files_of(paths)) {
    for (const Json& chosen : overrides) tasks.push_back(case_task(file, options, chosen));
  }
  check_cases(zygote, tasks, options);
  return tasks;
}

}  // namespace plumb
