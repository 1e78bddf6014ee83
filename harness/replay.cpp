#include "harness/replay.hpp"

#include <filesystem>

#include "harness/errors.hpp"
#include "harness/json_fields.hpp"
#include "harness/select_cases.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

Json only_task(Zygote& zygote, const std::string& file, const Options& options) {
  const std::vector<Json> tasks = case_tasks(zygote, {file}, options);
  if (tasks.size() == 1) return tasks.front();
  throw UsageError("replay: expected one variant, one dtype and one device, not " +
                   std::to_string(tasks.size()) + " combinations");
}

bool has_no_stable_digest(Verdict verdict) {
  return verdict <= Verdict::out_of_memory || verdict == Verdict::nondeterministic;
}

}  // namespace

Replay replay_path(Zygote& zygote, const std::string& path, const Options& options) {
  Replay replay;
  const bool is_finding = fs::is_directory(path);
  const std::string file = is_finding ? (fs::path(path) / "case.json").string() : path;
  const Json task = only_task(zygote, file, options);
  const auto run_once = [&] {
    return run_tasks(zygote, {task}, options, [](const Result&) {}).front();
  };
  if (is_finding) {
    const std::string record = (fs::path(path) / "finding.json").string();
    const Json finding = read_json_file(record);
    replay.recorded_verdict = string_field(finding, "verdict", record);
    replay.recorded_digest = string_field(finding, "digest", record);
  } else {
    const Result first = run_once();
    replay.recorded_verdict = to_string(first.verdict);
    replay.recorded_digest = first.digest;
  }
  replay.now = run_once();
  const Result& now = replay.now;
  if (to_string(now.verdict) != replay.recorded_verdict) {
    replay.why = "the verdict was " + replay.recorded_verdict + ", now it is " +
                 std::string(to_string(now.verdict));
  } else if (now.digest != replay.recorded_digest && !has_no_stable_digest(now.verdict)) {
    replay.why = "the output digest was " + replay.recorded_digest + ", now it is " + now.digest;
  } else if (!is_finding && !now.expected.empty() && !now.ok) {
    replay.why = "the case expects " + joined(now.expected, " or ") + ", the verdict is " +
                 std::string(to_string(now.verdict));
  } else {
    replay.same = true;
  }
  return replay;
}

std::string replay_text(const Replay& replay) {
  const Result& now = replay.now;
  std::string text = replay.same ? "same       " : "different  ";
  text += now.id + "\n           " + std::string(to_string(now.verdict)) + ": " +
          std::string(meaning(now.verdict)) + "\n";
  if (now.r) text += "           r " + number(*now.r) + "\n";
  if (!now.message.empty()) text += "           " + now.message + "\n";
  if (!now.digest.empty()) text += "           " + now.digest + "\n";
  if (!replay.why.empty()) text += "           " + replay.why + "\n";
  return text;
}

Json replay_json(const Replay& replay) {
  return {{"same", replay.same},
          {"why", replay.why},
          {"recorded_verdict", replay.recorded_verdict},
          {"recorded_digest", replay.recorded_digest},
          {"result", to_json(replay.now)}};
}

}  // namespace plumb
