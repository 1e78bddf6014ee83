#include "fuzz/campaign_rows.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "findings/call_text.hpp"
#include "findings/cause.hpp"
#include "harness/run.hpp"
#include "harness/text.hpp"
#include "sweep/targets.hpp"

namespace plumb {
namespace {

Result named(Result row, const std::string& identity) {
  row.name = short_name(row.op);
  row.arm = row.where.starts_with("grad:") ? "gradient" : "forward";
  row.id = result_id(row, identity);
  return row;
}

Result flaky_row(const Caught& found) {
  Result row = named(found.row, found.stored.dump());
  row.tags.emplace_back("flaky");
  row.message = "seen once, and not in each of three fresh processes: " + row.message;
  return row;
}

/// Where the fused kernel is left, a line for each condition.
Table boundary_table(const std::vector<Caught>& caught) {
  Table table{.name = "boundary", .columns = {"operator", "type", "condition", "call"}, .rows = {}};
  for (const Caught& found : caught) {
    if (found.condition.empty()) continue;
    table.rows.push_back(
        {short_name(found.row.op), found.row.dtype, found.condition, call_text(found.stored)});
  }
  return table;
}

std::string rate(std::uint64_t executions, double seconds) {
  const double rate = static_cast<double>(executions) / std::max(seconds, 1e-3);
  return std::to_string(static_cast<std::uint64_t>(std::round(rate)));
}

/// What only they know, and those that were stopped did not tell.
std::string of_workers(const CampaignCounts& counts) {
  if (counts.cpu_seconds == 0) return "";
  return ", " + rate(counts.executions, counts.cpu_seconds) + " a second of CPU; " +
         std::to_string(counts.refused) + " refused by torch, " + std::to_string(counts.judged) +
         " judged in full";
}

std::string in_words(const CampaignCounts& counts, std::size_t findings, std::size_t causes) {
  std::string text = std::to_string(counts.executions) + " executions, " +
                     rate(counts.executions, counts.seconds) + " a second" + of_workers(counts) +
                     "; corpus of " + plural(counts.corpus, "input") + "; " +
                     plural(findings, "finding");
  if (causes < findings) text += " of " + plural(causes, "likely cause");
  for (const auto& [verdict, count] : counts.verdicts) {
    text += ", " + std::to_string(count) + " " + verdict;
  }
  return text;
}

Series features_series(const CampaignCounts& counts) {
  Series series{.name = "features by executions: lit", .x = {}, .y = {}};
  for (const auto& [x, y] : counts.features) {
    series.x.push_back(x);
    series.y.push_back(y);
  }
  return series;
}

/// How many distinct findings there were after how many executions.
Series saturation(const std::vector<std::uint64_t>& first_seen, std::uint64_t executions) {
  Series series{.name = "findings by executions: distinct", .x = {0}, .y = {0}};
  for (const std::uint64_t execution : first_seen) {
    series.x.push_back(static_cast<double>(execution));
    series.y.push_back(series.y.back() + 1);
  }
  series.x.push_back(static_cast<double>(executions));
  series.y.push_back(series.y.back());
  return series;
}

Table operators_table(const CampaignCounts& counts) {
  Table table{.name = "executions by operator", .columns = {"operator", "executions"}, .rows = {}};
  for (const auto& [op, count] : counts.operators) {
    table.rows.push_back({op, static_cast<double>(count)});
  }
  return table;
}

/// "self 88.7 to 3.4e+38", of the number that was looked at.
std::string trigger_text(const Json& record) {
  if (record["trigger"].empty()) return "";
  const Json& trigger = record["trigger"][0];
  const auto text = [](const Json& number) {
    return number.is_string() ? number.get<std::string>() : number.dump();
  };
  return trigger["argument"].get<std::string>() + " " + text(trigger["low"]) + " to " +
         text(trigger["high"]);
}

/// Findings, when each was first seen, and which likely have one cause.
struct FirstSeen {
  std::vector<std::uint64_t> executions;
  std::size_t causes = 0;
  Table table;
};

FirstSeen first_seen(const Settled& settled) {
  FirstSeen first{
      .executions = {},
      .table = {.name = "findings",
                .columns = {"finding", "cause", "first seen", "verdict", "call", "fails from"},
                .rows = {}}};
  std::set<std::string> filed;
  std::vector<Json> records;
  auto finding = settled.findings.begin();
  for (const Caught& found : settled.caught) {
    if (!found.is_steady) continue;
    const Finding& saved = *finding++;
    if (!filed.insert(saved.fingerprint).second) continue;
    records.push_back(saved.record);
    first.executions.push_back(found.execution);
    first.table.rows.push_back({saved.fingerprint, 0.0, static_cast<double>(found.execution),
                                std::string(to_string(saved.row.verdict)), saved.call,
                                trigger_text(saved.record)});
  }
  std::map<std::size_t, std::size_t> numbers;
  const std::vector<std::size_t> causes = causes_of(records);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    const std::size_t number = numbers.emplace(causes[i], numbers.size() + 1).first->second;
    first.table.rows[i][1] = static_cast<double>(number);
  }
  first.causes = numbers.size();
  return first;
}

/// Shards that search the same operators differ in this.
std::string shard_text(const CampaignPlan& plan) {
  return " shard " + std::to_string(plan.shard) + "/" + std::to_string(plan.shards);
}

}  // namespace

void CampaignCounts::add(const CampaignCounts& other) {
  executions += other.executions;
  refused += other.refused;
  judged += other.judged;
  cpu_seconds += other.cpu_seconds;
  for (const auto& [verdict, count] : other.verdicts) verdicts[verdict] += count;
  for (const auto& [op, count] : other.operators) operators[op] += count;
  if (features.size() < other.features.size()) features = other.features;
}

CampaignCounts counts_from(const Json& label) {
  CampaignCounts counts;
  if (!label.is_object()) return counts;
  counts.executions = label.at("executions");
  counts.refused = label.at("refused");
  counts.judged = label.at("judged");
  counts.cpu_seconds = label.at("cpu");
  for (const auto& [verdict, count] : label.at("verdicts").items())
    counts.verdicts[verdict] = count;
  for (const auto& [op, count] : label.at("operators").items()) counts.operators[op] = count;
  for (const Json& point : label.at("features")) counts.features.emplace_back(point[0], point[1]);
  return counts;
}

std::vector<Result> finding_rows(const Settled& settled) {
  std::vector<Result> rows;
  std::set<std::string> filed;
  auto finding = settled.findings.begin();
  for (const Caught& found : settled.caught) {
    if (!found.is_steady) {
      rows.push_back(flaky_row(found));
      continue;
    }
    const Finding& saved = *finding++;
    if (!filed.insert(saved.fingerprint).second) continue;
    Result row = named(saved.row, saved.fingerprint);
    row.message = saved.call + ": " + row.message;
    if (!found.condition.empty()) row.message += " (" + found.condition + ")";
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<Result> campaign_rows(const CampaignPlan& plan, const Options& options,
                                  const CampaignCounts& counts, const Settled& settled) {
  std::vector<Result> rows = finding_rows(settled);
  const FirstSeen first = first_seen(settled);
  Result campaign;
  campaign.op = plan.ops.size() == 1 ? plan.ops.front() : plural(plan.ops.size(), "operator");
  campaign.name = "fuzz";
  campaign.arm = plan.goal.name;
  campaign.dtype = plan.dtypes.size() == 1 ? plan.dtypes.front() : "mixed";
  campaign.seed = options.seed;
  campaign.threads = options.threads;
  campaign.verdict = Verdict::exact;  // it says what was done
  campaign.message = in_words(counts, first.table.rows.size(), first.causes);
  campaign.id = result_id(campaign, joined(plan.ops, ",") + std::to_string(options.seed) +
                                        (plan.shards > 1 ? shard_text(plan) : ""));
  campaign.seconds = counts.seconds;
  campaign.series = {saturation(first.executions, counts.executions), features_series(counts)};
  campaign.tables = {first.table, operators_table(counts)};
  if (Table boundary = boundary_table(settled.caught); !boundary.rows.empty()) {
    campaign.tables.push_back(std::move(boundary));
  }
  rows.push_back(std::move(campaign));
  return rows;
}

}  // namespace plumb
