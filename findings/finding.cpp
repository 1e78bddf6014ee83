#include "findings/finding.hpp"

#include <algorithm>
#include <map>

#include "findings/call_text.hpp"
#include "findings/draft.hpp"
#include "findings/failure.hpp"
#include "findings/known.hpp"
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
  finding.row.tags.push_back(fingerprint_tag(finding.fingerprint));
  finding.row.replay =
      "plumb replay " + shell_quoted(finding.folder.string()) + replay_flags(alarm.flags);
  return finding;
}

namespace {

/// Whether the failure of `a` is worse than that of `b`, as a report orders them.
bool worse_row(const Alarm& a, Result row_of_a, const Alarm& b, Result row_of_b) {
  row_of_a.id = a.row.id;
  row_of_b.id = b.row.id;
  return more_urgent(row_of_a, row_of_b);
}

/// The worst alarm of each cause, by the rows that came out so far.
std::vector<std::size_t> worst_of_each_cause(const std::vector<Alarm>& alarms,
                                             const std::vector<Reduced>& all) {
  std::map<std::string, std::size_t> worst;
  for (std::size_t i = 0; i < alarms.size(); ++i) {
    const Result& row = alarms[i].row;
    const std::string cause = row.op + "|" + row.variant + "|" + row.device + "|" +
                              std::string(to_string(row.verdict)) + "|" + row.where;
    const auto [place, is_new] = worst.emplace(cause, i);
    const std::size_t before = place->second;
    if (!is_new &&
        worse_row(alarms[i], all[i].minimised.row, alarms[before], all[before].minimised.row)) {
      place->second = i;
    }
  }
  std::vector<std::size_t> indices;
  for (const auto& [cause, i] : worst) indices.push_back(i);
  return indices;
}

/// Makes all smaller, in the end the worst of each cause by all that is allowed: a smaller case may
/// have a smaller r, and another is then the worst.
std::vector<Reduced> reduce_the_worst_most(Zygote& zygote, std::vector<Alarm>& alarms,
                                           const ReduceOptions& options) {
  std::vector<Reduced> all(alarms.size());
  for (std::size_t i = 0; i < alarms.size(); ++i) {
    all[i].minimised.row = alarms[i].row;
    alarms[i].brief = true;
  }
  for (const std::size_t i : worst_of_each_cause(alarms, all)) alarms[i].brief = false;
  all = reduce(zygote, alarms, options);
  while (true) {
    std::vector<std::size_t> order;
    std::vector<Alarm> again;
    for (const std::size_t i : worst_of_each_cause(alarms, all)) {
      if (!alarms[i].brief) continue;
      alarms[i].brief = false;
      order.push_back(i);
      again.push_back(alarms[i]);
    }
    if (order.empty()) return all;
    std::vector<Reduced> more = reduce(zygote, again, options);
    for (std::size_t k = 0; k < order.size(); ++k) all[order[k]] = std::move(more[k]);
  }
}

}  // namespace

void remove_findings_but(const std::set<std::string>& kept, const fs::path& out) {
  std::error_code ignored;
  std::vector<fs::path> stale;
  for (const fs::directory_entry& entry : fs::directory_iterator(out / "findings", ignored)) {
    const std::string name = entry.path().filename().string();
    const bool ours = !entry.is_symlink(ignored) && is_fingerprint(name) &&
                      fs::is_regular_file(entry.path() / "finding.json", ignored);
    if (ours && !kept.contains(name)) stale.push_back(entry.path());
  }
  for (const fs::path& folder : stale) fs::remove_all(folder, ignored);
}

std::vector<Finding> file_findings(Zygote& zygote, std::vector<Alarm> alarms,
                                   const ReduceOptions& options, const fs::path& out) {
  const std::vector<Reduced> all = reduce_the_worst_most(zygote, alarms, options);
  std::map<std::string, std::size_t> best;  // of a fingerprint: what most was spent on
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [place, is_new] = best.emplace(fingerprint(all[i].minimised.row), i);
    if (!is_new && alarms[place->second].brief && !alarms[i].brief) place->second = i;
  }
  std::map<std::string, Finding> written;
  std::vector<Finding> findings;
  for (const Reduced& reduced : all) {
    const std::string name = fingerprint(reduced.minimised.row);
    const std::size_t i = best.at(name);
    if (!written.contains(name)) written.emplace(name, write_finding(alarms[i], all[i], out));
    findings.push_back(written.at(name));
  }
  std::set<std::string> kept;
  for (const auto& [name, finding] : written) kept.insert(name);
  remove_findings_but(kept, out);
  return findings;
}

}  // namespace plumb
