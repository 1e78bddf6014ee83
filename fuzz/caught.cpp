#include "fuzz/caught.hpp"

#include <algorithm>
#include <fstream>
#include <set>

#include "findings/failure.hpp"
#include "harness/doing.hpp"
#include "harness/interrupt.hpp"
#include "harness/json_fields.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

constexpr int kVerifications = 3;

/// Whether the failure shows again in each of three fresh processes; what hangs takes the whole
/// deadline each time, and is asked once.
bool is_steady(Zygote& zygote, const Caught& found, const SettleOptions& options) {
  const Failure failure = failure_of(found.row);
  const int times = found.row.verdict == Verdict::hung ? 1 : kVerifications;
  for (int i = 0; i < times; ++i) {
    const Result again = judged_alone(zygote, found.stored, "fuzz", options.flags, options.limits);
    if (!same_failure(failure, again)) return false;
  }
  return true;
}

}  // namespace

void read_caught(const std::filesystem::path& file, std::vector<Caught>& all,
                 std::set<std::string>* lines) {
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    try {
      const Json json = parse_json(line, "failures");
      all.push_back({.stored = json.at("case"),
                     .row = result_from_json(json.at("row"), "failures"),
                     .execution = json.at("execution"),
                     .condition = json.at("condition")});
      if (lines != nullptr) lines->insert(line);
    } catch (const std::exception&) {  // the last line of a worker that was killed
    }
  }
}

std::vector<Caught> distinct(std::vector<Caught> all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Caught& a, const Caught& b) { return a.execution < b.execution; });
  std::set<std::string> seen;
  std::erase_if(
      all, [&](const Caught& c) { return !seen.insert(fingerprint(c.row) + c.condition).second; });
  return all;
}

SettleOptions settle_options(const Options& options, int jobs, int evaluations) {
  SettleOptions effort{.jobs = jobs,
                       .limits = options.limits,
                       .evaluations = evaluations,
                       .flags = flags_beside_case(common_fields(options))};
  effort.limits.threads = options.threads;
  return effort;
}

Settled settle(Zygote& zygote, std::vector<Caught> caught, const SettleOptions& options,
               const std::filesystem::path& out) {
  if (!caught.empty()) {
    show_doing("confirming " + plural(caught.size(), "failure") + " and making them smaller");
  }
  for (Caught& found : caught) {
    if (interrupted() == 0) found.is_steady = is_steady(zygote, found, options);
  }
  std::vector<Alarm> alarms;
  for (const Caught& found : caught) {
    if (!found.is_steady) continue;
    alarms.push_back(
        {.stored = found.stored, .file = "fuzz", .row = found.row, .flags = options.flags});
  }
  std::vector<Finding> findings = file_findings(
      zygote, alarms,
      {.jobs = options.jobs,
       .limits = options.limits,
       .effort = {.evaluations = options.evaluations, .triggers = 1, .trigger_attempts = 40},
       .confirm = 1,
       .hung_candidates = 0},
      out);
  return {std::move(caught), std::move(findings)};
}

}  // namespace plumb
