#include "findings/minimize_file.hpp"

#include <set>

#include "findings/failure.hpp"
#include "harness/errors.hpp"
#include "harness/json_fields.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr int kRuns = 3;

/// The only value of a flag that may be given once.
void put_only(Json& stored, const std::string& key, const std::vector<std::string>& values) {
  if (values.size() > 1) {
    throw UsageError("minimize: expected one " + key + ", not " + joined(values, ","));
  }
  if (!values.empty()) stored[key] = values.front();
}

/// The case with the flags in it, so that the finding needs none.
Json with_options(Json stored, const Options& options) {
  if (!stored.is_object()) return stored;
  const Json own = stored.value("dtype", Json());
  put_only(stored, "dtype", options.dtypes);
  put_only(stored, "variant", options.variants);
  put_only(stored, "device", options.devices);
  if (stored.value("dtype", Json()) != own) stored.erase("expect");
  if (options.seed_given) stored["seed"] = options.seed;
  if (options.oracle != "auto") stored["oracle"] = options.oracle;
  if (!options.relations.empty()) stored["relations"] = options.relations;
  return stored;
}

/// Why three runs are not one failure; empty where they are.
std::string refusal(const std::vector<Result>& runs) {
  std::vector<std::string> verdicts;
  std::set<std::string> distinct;
  for (const Result& run : runs) {
    verdicts.emplace_back(to_string(run.verdict));
    distinct.insert(verdicts.back() + run.where + run.digest);
  }
  if (distinct.size() > 1) {
    const bool bits = std::set<std::string>(verdicts.begin(), verdicts.end()).size() == 1;
    return "it is not deterministic: of " + std::to_string(kRuns) + " runs " +
           (bits ? "all are " + verdicts.front() + ", with different bits"
                 : "the verdicts are " + joined(verdicts, ", ")) +
           "; nothing is written";
  }
  if (is_failure(runs.front().verdict)) return "";
  return "it does not fail: the verdict is " + verdicts.front() + "; nothing is written";
}

std::string number_text(const Json& value) {
  if (value.is_array()) return number_text(value[0]) + " + " + number_text(value[1]) + "i";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string line(std::string label, const std::string& text) {
  constexpr std::size_t kColumn = 13;  // as the rows of a run have it
  label.resize(kColumn, ' ');
  return label + text + "\n";
}

std::string size_line(const Json& record) {
  std::string text = record["original_size"]["elements"].dump() + " → " +
                     record["size"]["elements"].dump() + " elements, by " +
                     record["evaluations"].dump() + " evaluations";
  return record["exhausted"].get<bool>() ? text + ", all there were: it may get smaller" : text;
}

}  // namespace

FileMinimised minimize_file(Zygote& zygote, const std::string& path, const Options& options,
                            int evaluations, const fs::path& out) {
  const std::string file = fs::is_directory(path) ? (fs::path(path) / "case.json").string() : path;
  const Json stored = with_options(read_json_file(file), options);
  if (stored.contains("model")) {
    throw UsageError("minimize: " + file +
                     ": a model file cannot be made smaller; expected 'op' or 'steps'");
  }
  ReduceOptions reduction{.jobs = 1,
                          .limits = options.limits,
                          .effort = {.evaluations = evaluations},
                          .confirm = kRuns};
  reduction.limits.threads = options.threads;
  const Json flags = flags_beside_case(common_fields(options));
  std::vector<Result> runs;
  while (runs.size() < kRuns)
    runs.push_back(judged_alone(zygote, stored, file, flags, options.limits));
  if (const std::string why = refusal(runs); !why.empty()) return {std::nullopt, file + ": " + why};
  const Alarm alarm{.stored = stored, .file = file, .row = runs.front(), .flags = flags};
  const Reduced reduced = reduce(zygote, {alarm}, reduction).front();
  if (!reduced.why_not.empty()) {
    return {std::nullopt,
            file + ": it cannot be minimised: " + reduced.why_not + "; nothing is written"};
  }
  return {write_finding(alarm, reduced, out), ""};
}

std::string text_of(const Finding& finding, const std::string& program) {
  const Json& record = finding.record;
  std::string text = line(
      "minimised", record["op"].get<std::string>() + " in " + record["dtype"].get<std::string>() +
                       ": " + record["verdict"].get<std::string>() +
                       (record["r"].is_null() ? "" : ", r " + number_text(record["r"])));
  text += line("size", size_line(record));
  text += line("call", finding.call);
  if (record["seen"].is_object()) {
    const Json& seen = record["seen"];
    const std::string place = seen["output"].get<std::string>() +
                              (seen["index"].empty() ? "" : " " + seen["index"].dump());
    text += line("came out", number_text(seen["got"]) + "  (" + place + ")");
    text += line("right", number_text(seen["right"]));
  } else {
    text += line("came out", record["message"]);
  }
  for (const Json& trigger : record["trigger"]) {
    text += line("fails while", trigger["argument"].get<std::string>() + " = " +
                                    number_text(trigger["value"]) + " is in [" +
                                    number_text(trigger["low"]) + ", " +
                                    number_text(trigger["high"]) + "]");
  }
  text += line("fingerprint", finding.fingerprint);
  return text + "\nreplay it: " + program +
         finding.row.replay.substr(std::string_view("plumb").size()) + "\n";
}

}  // namespace plumb
