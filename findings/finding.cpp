#include "findings/finding.hpp"

#include <algorithm>
#include <map>

#include "findings/call_text.hpp"
#include "findings/draft.hpp"
#include "findings/failure.hpp"
#include "findings/literal.hpp"
#include "findings/repro.hpp"
#include "harness/atomic_file.hpp"
#include "harness/environment.hpp"
#include "harness/task.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

/// How large a case is: elements and distinct values of its tensors, the longest mantissa in bits.
Json size_of(const Json& stored) {
  std::vector<Json> distinct;
  int bits = 0;
  bool is_inline = true;
  for (const TensorPlace& place : tensor_places(stored)) {
    const TensorDraft draft = draft_of(stored[place.at]);
    is_inline = is_inline && draft.is_inline;
    for (const Json& value : draft.values) {
      const auto format = number_format(stored, stored[place.at]);
      const double number = number_of(value);
      if (!value.is_array()) {
        bits = std::max(bits, significant_bits(format ? round_to(*format, number) : number));
      }
      if (std::find(distinct.begin(), distinct.end(), value) == distinct.end()) {
        distinct.push_back(value);
      }
    }
  }
  Json size{{"elements", element_count(stored)}};
  size["distinct"] = is_inline ? Json(distinct.size()) : Json();
  size["bits"] = is_inline ? Json(bits) : Json();
  return size;
}

Json environment_json(const Result& row) {
  Report report;
  report.environment = environment_here(row.seed, row.threads);
  return to_json(report)["environment"];
}

/// Where torch's own notes accept it.
Json documented(const Result& row) {
  for (const std::string& tag : row.tags) {
    if (tag.starts_with("documented")) return tag;
  }
  return nullptr;
}

}  // namespace

Json finding_record(const Alarm& alarm, const Reduced& reduced) {
  const Minimised& result = reduced.minimised;
  const Result& row = result.row;
  Json triggers = Json::array();
  for (const Trigger& trigger : result.triggers) triggers.push_back(to_json(trigger));
  const std::string relation = failure_of(row).relation;
  return {{"schema", "plumb.finding/1"},
          {"fingerprint", fingerprint(row)},
          {"op", row.op},
          {"dtype", row.dtype},
          {"variant", row.variant},
          {"device", row.device},
          {"verdict", to_string(row.verdict)},
          {"kind", kind_of(row)},
          {"where", row.where},
          {"relation", relation.empty() ? Json() : Json(relation)},
          {"documented", documented(row)},
          {"call", call_text(result.stored)},
          {"seen", reduced.seen.contains("right") ? reduced.seen : Json()},
          {"message", row.message},
          {"r", row.r ? number_to_json(*row.r) : Json()},
          {"digest", row.digest},
          {"path", row.path},
          {"path_hash", row.path_hash},
          {"trigger", triggers},
          {"size", size_of(result.stored)},
          {"original_size", size_of(alarm.stored)},
          {"original_r", result.found.r ? number_to_json(*result.found.r) : Json()},
          {"evaluations", result.evaluations},
          {"exhausted", result.exhausted},
          {"not_minimised", reduced.why_not.empty() ? Json() : Json(reduced.why_not)},
          {"environment", environment_json(row)}};
}

Finding write_finding(const Alarm& alarm, const Reduced& reduced, const fs::path& out) {
  const Minimised& result = reduced.minimised;
  Finding finding{.fingerprint = fingerprint(result.row),
                  .folder = {},
                  .call = call_text(result.stored),
                  .row = result.row,
                  .record = finding_record(alarm, reduced)};
  finding.folder = out / "findings" / finding.fingerprint;
  const auto write = [&](const char* name, const std::string& text) {
    write_file_atomically(finding.folder / name, text);
  };
  write("original.json", alarm.stored.dump(1) + "\n");
  write("case.json", result.stored.dump(1) + "\n");
  write("repro.py", python_repro(result.stored, reduced.seen, result.row));
  write("repro.cpp", cpp_repro(result.stored, reduced.seen, result.row));
  write("finding.json", finding.record.dump(1) + "\n");
  finding.row.replay =
      "plumb replay " + shell_quoted(finding.folder.string()) + replay_flags(alarm.flags);
  return finding;
}

std::vector<Finding> file_findings(Zygote& zygote, const std::vector<Alarm>& alarms,
                                   const ReduceOptions& options, const fs::path& out) {
  const std::vector<Reduced> all = reduce(zygote, alarms, options);
  std::map<std::string, std::size_t> first;
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [place, is_new] = first.emplace(fingerprint(all[i].minimised.row), i);
    findings.push_back(is_new ? write_finding(alarms[i], all[i], out) : findings[place->second]);
  }
  return findings;
}

}  // namespace plumb
