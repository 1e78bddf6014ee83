#include "fuzz/merge.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "findings/cause.hpp"
#include "findings/failure.hpp"
#include "findings/known.hpp"
#include "fuzz/campaign_rows.hpp"
#include "fuzz/distill.hpp"
#include "fuzz/genome.hpp"
#include "harness/atomic_file.hpp"
#include "harness/digest.hpp"
#include "harness/environment.hpp"
#include "harness/errors.hpp"
#include "harness/interrupt.hpp"
#include "harness/json_fields.hpp"
#include "harness/run.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = "merge";  // of the row that says what was joined

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    all.push_back(entry.path());
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// What one run left.
struct Source {
  fs::path folder;
  std::optional<Report> report;  // none of a run that died
  fs::path campaign;             // where it searched; may not exist

  Source(const fs::path& where) : folder(where), campaign(where / "campaign") {
    const fs::path results = folder / "results.json";
    if (fs::exists(results)) {
      report = report_from_json(read_json_file(results.string()), results.string());
    }
    if (fs::is_directory(folder / "inputs")) campaign = folder;  // a --corpus
    if (!report && !fs::is_directory(campaign) && !fs::is_directory(folder / "findings")) {
      throw InputError(folder.string() +
                       ": expected a folder that plumb fuzz, sweep, run or check wrote to");
    }
  }

  bool has_died() const { return !report && campaign != folder; }
};

/// Rows of different builds must not stand side by side as one run.
void check_same_build(const std::vector<Source>& sources) {
  const Source* first = nullptr;
  for (const Source& source : sources) {
    if (!source.report) continue;
    if (first == nullptr) first = &source;
    const Environment& a = first->report->environment;
    const Environment& b = source.report->environment;
    if (a.torch == b.torch && a.plumb == b.plumb && a.git == b.git) continue;
    throw InputError((source.folder / "results.json").string() + ": environment: torch " + b.torch +
                     ", plumb " + b.plumb + " (" + b.git + "), but " + first->folder.string() +
                     " has torch " + a.torch + ", plumb " + a.plumb + " (" + a.git +
                     "); only runs of one build can be joined");
  }
}

// ---- findings

struct Filed {
  fs::path folder;
  Json record;  // finding.json
  std::size_t elements = 0;
};

/// Nothing of one that was written halfway, or is damaged.
std::optional<Filed> filed_in(const fs::path& folder) {
  try {
    read_json_file((folder / "case.json").string());
    Filed filed{.folder = folder, .record = read_json_file((folder / "finding.json").string())};
    filed.elements = filed.record.at("size").at("elements");
    causes_of(std::vector<Json>(1, filed.record));  // it can be read
    return filed;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// By fingerprint, the smallest of those that have it.
using Findings = std::map<std::string, Filed>;

void add_findings(const fs::path& folder, Findings& findings, std::vector<std::string>& damaged) {
  for (const fs::path& finding : entries(folder / "findings")) {
    const std::string name = finding.filename().string();
    if (!is_fingerprint(name)) continue;
    std::optional<Filed> filed = filed_in(finding);
    if (!filed) {
      damaged.push_back(finding.string());
      continue;
    }
    const auto place = findings.find(name);
    if (place == findings.end() || filed->elements < place->second.elements) {
      findings.insert_or_assign(name, *std::move(filed));
    }
  }
}

/// Findings beside what is likely the first of the same cause.
Table table_of(const Findings& findings) {
  Table table{.name = "findings", .columns = {"finding", "cause", "call"}, .rows = {}};
  std::vector<Json> records;
  for (const auto& [name, filed] : findings) records.push_back(filed.record);
  const std::vector<std::size_t> causes = causes_of(records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const auto text = [](const Json& record, const char* field) -> std::string {
      return record.at(field);
    };
    table.rows.push_back({text(records[i], "fingerprint"), text(records[causes[i]], "fingerprint"),
                          text(records[i], "call")});
  }
  return table;
}

void copy_findings(const Findings& findings, const fs::path& out) {
  std::set<std::string> kept;
  for (const auto& [name, filed] : findings) {
    kept.insert(name);
    const fs::path to = out / "findings" / name;
    std::error_code ignored;
    if (fs::equivalent(filed.folder, to, ignored)) continue;
    for (const fs::path& file : entries(filed.folder)) {
      write_file_atomically(to / file.filename(), bytes_of(file));
    }
  }
  remove_findings_but(kept, out);
}

/// "plumb replay shards/2/findings/0123… --seed 3" for where the finding lies now.
void move_replay(Result& row, const Findings& findings, const fs::path& out) {
  const std::string name = fingerprint_of(row);
  const std::size_t at = row.replay.find("findings/" + name);
  if (name.empty() || at == std::string::npos || !findings.contains(name)) return;
  std::size_t end = at + std::string("findings/").size() + name.size();
  if (end < row.replay.size() && row.replay[end] == '\'') ++end;
  row.replay =
      "plumb replay " + shell_quoted((out / "findings" / name).string()) + row.replay.substr(end);
}

// ---- rows

/// By id; of two the one whose finding is kept, else the more urgent.
class Rows {
 public:
  explicit Rows(const Findings& findings) : findings_(findings) {}

  void add(const fs::path& folder, const Result& row) {
    if (row.name == kName) return;
    const auto [place, is_new] = places_.emplace(row.id, rows_.size());
    if (is_new) return rows_.push_back(row);
    Result& before = rows_[place->second];
    const auto finding = findings_.find(fingerprint_of(row));
    const bool is_kept =
        finding != findings_.end() && finding->second.folder.parent_path().parent_path() == folder;
    if (is_kept || (finding == findings_.end() && more_urgent(row, before))) before = row;
  }

  bool has_fingerprint(const std::string& name) const {
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const Result& row) { return fingerprint_of(row) == name; });
  }

  std::vector<Result> take() && { return std::move(rows_); }

 private:
  const Findings& findings_;
  std::vector<Result> rows_;
  std::map<std::string, std::size_t> places_;
};

// ---- corpora

struct Corpus {
  std::vector<Input> inputs;
  std::vector<Caught> caught;
  std::set<std::string> lines;  // of caught

  void add(const fs::path& campaign) {
    for (const fs::path& file : entries(campaign / "inputs")) {
      if (!fs::is_regular_file(file) || fs::file_size(file) > Genome::kMostBytes) continue;
      const std::string bytes = bytes_of(file);
      inputs.emplace_back(bytes.begin(), bytes.end());
    }
    for (const fs::path& file : entries(campaign)) {
      if (!file.filename().string().starts_with("failures-")) continue;
      read_caught(file, caught, &lines);
    }
  }
};

std::string name_of(const Input& input) {
  const std::string bytes(input.begin(), input.end());
  return short_hash(bytes) + short_hash(bytes + "|");
}

void write_corpus(const Corpus& corpus, const std::vector<Input>& kept, const fs::path& campaign) {
  for (const fs::path& file : entries(campaign / "inputs")) fs::remove(file);
  for (const Input& input : kept) {
    write_file_atomically(campaign / "inputs" / name_of(input),
                          {reinterpret_cast<const char*>(input.data()), input.size()});
  }
  for (const fs::path& file : entries(campaign)) {
    if (file.filename().string().starts_with("failures-")) fs::remove(file);
  }
  if (corpus.lines.empty()) return;
  std::string text;
  for (const std::string& line : corpus.lines) text += line + "\n";
  write_file_atomically(campaign / "failures-0-0", text);  // where a search that goes on looks
}

// ---- all of it

/// Failures that no run has filed, in a folder of their own.
Settled settle_unfiled(Zygote& zygote, const Corpus& corpus, const Rows& rows,
                       const Options& options, int evaluations, const fs::path& folder) {
  std::vector<Caught> unfiled;
  for (Caught& found : distinct(corpus.caught)) {
    if (!rows.has_fingerprint(fingerprint(found.row))) unfiled.push_back(std::move(found));
  }
  return settle(zygote, std::move(unfiled),
                settle_options(options, worker_count(options.jobs, options.threads), evaluations),
                folder);
}

Result joined_row(const std::vector<Source>& sources, const Findings& findings, std::size_t inputs,
                  std::size_t kept, std::size_t filed) {
  std::vector<std::string> dead;
  for (const Source& source : sources) {
    if (source.has_died()) dead.push_back(source.folder.string());
  }
  Result row;
  row.name = kName;
  row.arm = "all";
  row.op = "results";
  row.dtype = "mixed";
  row.message =
      "joined " + plural(sources.size(), "folder") + ": " + plural(findings.size(), "finding");
  if (inputs > 0) {
    row.message += "; of " + plural(inputs, "input") + " of searches " +
                   (interrupted() != 0 ? "all are kept, as it was stopped"
                                       : std::to_string(kept) + " light all features");
  }
  if (!dead.empty()) {
    row.message += "; no results in " + joined(dead, ", ") + ", of which " +
                   plural(filed, "failure") + " had not been filed";
  }
  row.id = result_id(row, "");
  if (!findings.empty()) row.tables = {table_of(findings)};
  return row;
}

}  // namespace

Report merged(Zygote& zygote, const MergePlan& plan, const Options& options) {
  const fs::path& out = plan.out;
  const std::vector<Source> sources(plan.folders.begin(), plan.folders.end());
  check_same_build(sources);
  Report report{.environment = environment_here(options.seed, options.threads), .results = {}};
  Findings findings;
  std::vector<std::string> damaged;
  Corpus corpus;
  for (const Source& source : sources) {
    add_findings(source.folder, findings, damaged);
    corpus.add(source.campaign);
  }
  Rows rows(findings);
  bool has_environment = false;
  for (const Source& source : sources) {
    if (!source.report) continue;
    if (!has_environment) report.environment = source.report->environment;
    has_environment = true;
    for (const Result& row : source.report->results) rows.add(source.folder, row);
  }
  const fs::path unfiled = out / "campaign" / "unfiled";
  const Settled settled = settle_unfiled(zygote, corpus, rows, options, plan.evaluations, unfiled);
  add_findings(unfiled, findings, damaged);
  for (Result& row : finding_rows(settled)) {
    KnownIssues().mark(row, today());
    row.seconds = row.oracle_seconds = 0;  // of another run than the row of a shard would tell
    rows.add(unfiled, row);
  }
  copy_findings(findings, out);
  const std::size_t before = std::set<Input>(corpus.inputs.begin(), corpus.inputs.end()).size();
  const std::vector<Input> kept = distilled(zygote, corpus.inputs, options);
  write_corpus(corpus, kept, out / "campaign");
  fs::remove_all(unfiled);
  report.results = std::move(rows).take();
  for (Result& row : report.results) move_replay(row, findings, out);
  report.results.push_back(
      joined_row(sources, findings, before, kept.size(), settled.caught.size()));
  if (!damaged.empty()) {
    report.results.back().message += "; left out, as they cannot be read: " + joined(damaged, ", ");
  }
  return report;
}

}  // namespace plumb
