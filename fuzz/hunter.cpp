#include "fuzz/hunter.hpp"

#include "findings/failure.hpp"
#include "findings/inline_case.hpp"
#include "fuzz/genome_case.hpp"
#include "harness/errors.hpp"
#include "harness/run.hpp"
#include "harness/task.hpp"
#include "harness/text.hpp"
#include "harness/trace.hpp"
#include "sweep/unit.hpp"

namespace plumb {
namespace {

/// What fails alike, so often, is seldom worth the harness.
constexpr std::uint64_t kOften = 64;
constexpr std::uint64_t kSeldom = 32;

constexpr const char* kFile = "fuzz";                                 // in errors
constexpr const char* kNoKernel = "without a fused kernel to leave";  // counted beside verdicts

std::string key_of_crossing(const Catch& found) {
  return found.stored["op"].dump() + found.stored["dtype"].dump() + found.condition;
}

}  // namespace

Hunter::Hunter(Domain& domain, const Goal& goal, Features& features, Json fields,
               std::function<void(const Catch&)> caught)
    : domain_(domain),
      goal_(goal),
      features_(features),
      boundary_(domain),
      fields_(std::move(fields)),
      caught_(std::move(caught)) {}

template <typename WithCase>
auto Hunter::with_case(std::span<const std::uint8_t> bytes, WithCase with) {
  const Genome genome = decode(bytes);
  const Json json = case_of(genome, domain_);
  try {
    if (!json.is_null()) return with(genome, json);
  } catch (const InputError&) {  // sizes that this plan makes impossible
  }
  return decltype(with(genome, json)){};
}

void Hunter::know(const Catch& found) {
  fingerprints_.insert(found.condition.empty() ? fingerprint(found.row) : key_of_crossing(found));
}

void Hunter::replay(std::span<const std::uint8_t> bytes) {
  with_case(bytes, [&](const Genome& genome, const Json& json) {
    const std::optional<Looked> looked = glanced(genome, json);
    if (looked && goal_.about_paths) left_path(boundary_.intended(genome), looked->subject);
    return looked.has_value();
  });
}

bool Hunter::execute(std::span<const std::uint8_t> bytes) {
  ++tally_.executions;
  const bool built_on =
      with_case(bytes, [&](const Genome& genome, const Json& json) { return look(genome, json); });
  if (!built_on) ++tally_.refused;
  return built_on;
}

std::optional<Hunter::Looked> Hunter::glanced(const Genome& genome, const Json& json) {
  const SearchedOperator& op = *domain_.find(genome.op);
  Subject subject = op.has_reference ? read(json).subject : subject_of(json, op);
  Glance seen = glance(subject, json["seed"]);
  if (seen.kind == Glance::Kind::refused) return std::nullopt;
  features_.begin(op.number);
  features_.see(genome, subject.inputs, seen);
  return Looked{std::move(subject), std::move(seen)};
}

std::optional<Hunter::Looked> Hunter::counted_glance(const Genome& genome, const Json& json) {
  ++tally_.by_operator[domain_.find(genome.op)->name];
  return glanced(genome, json);
}

void Hunter::count(Verdict verdict) { ++tally_.verdicts[std::string(to_string(verdict))]; }

bool Hunter::settles(const Genome& genome, const Glance& seen) {
  if (must_ask(genome, seen)) return false;
  count(seen.worst.verdict);
  return true;
}

bool Hunter::look(const Genome& genome, const Json& json) {
  const std::optional<Looked> looked = counted_glance(genome, json);
  if (!looked) return false;
  if (goal_.about_paths) return watch_path(genome, looked->subject);
  if (!settles(genome, looked->seen)) ask(json);
  return true;
}

bool Hunter::watch_path(const Genome& genome, const Subject& subject) {
  const std::optional<bool> left = counted_path(genome, subject);
  const bool is_new = features_.fresh() || tally_.executions % kSeldom == 0;
  if (left.value_or(false) && is_new) cross(genome, boundary_.intended(genome));
  return left.has_value();
}

std::optional<bool> Hunter::counted_path(const Genome& genome, const Subject& subject) {
  const std::vector<std::string>& intended = boundary_.intended(genome);
  if (intended.empty()) ++tally_.verdicts[kNoKernel];
  return left_path(intended, subject);
}

std::optional<bool> Hunter::left_path(const std::vector<std::string>& intended,
                                      const Subject& subject) {
  if (intended.empty()) return false;
  std::string why;
  try {
    const std::vector<std::string> path = Boundary::path_of(subject);
    features_.see(path_hash(path));
    return !path_matches(path, intended, why);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void Hunter::cross(const Genome& genome, const std::vector<std::string>& intended) {
  const Boundary::Crossing crossing = boundary_.nearest(genome);
  Catch found{.stored = inline_case(case_of(crossing.genome, domain_), kFile),
              .row = {},
              .execution = tally_.executions,
              .condition = joined(crossing.conditions, " and ")};
  found.stored["expect"] = {{"path", intended}};
  if (!fingerprints_.insert(key_of_crossing(found)).second) return;
  found.row = run_case(read(found.stored));
  ++tally_.judged;
  count(found.row.verdict);
  if (goal_.wants(found.row)) caught_(found);
}

bool Hunter::must_ask(const Genome& genome, const Glance& seen) {
  if (goal_.only_glances) return false;
  if (features_.fresh()) return true;
  if (seen.kind == Glance::Kind::settled) {
    return tally_.executions % static_cast<std::uint64_t>(goal_.ask_every) == 0;
  }
  const std::string alike = std::to_string(genome.op) + "/" + std::to_string(genome.dtype) + "/" +
                            std::string(to_string(seen.worst.verdict)) + "/" + seen.worst.where;
  const std::uint64_t times = ++open_[alike];
  return times <= kOften || times % kSeldom == 0;
}

Case Hunter::read(const Json& json) const {
  return case_from_json(json, kFile, [&](Case& known) { apply_fields(fields_, known.settings); });
}

void Hunter::ask(const Json& json) {
  const Result row = asked(json);
  if (goal_.wants(row) && fingerprints_.insert(fingerprint(row)).second) keep(json, row);
}

Result Hunter::asked(const Json& json) {
  Result row = run_case(read(json));
  ++tally_.judged;
  count(row.verdict);
  features_.see(row);
  return row;
}

void Hunter::keep(const Json& json, const Result& row) {
  Catch found{json, row, tally_.executions};
  if (const std::string relation = broken_relation(row); !relation.empty()) {
    found.stored["relations"] = {relation};
  }
  caught_(found);
}

std::optional<std::string> Hunter::judge(std::span<const std::uint8_t> bytes, bool in_full) {
  ++tally_.executions;
  auto what = with_case(
      bytes, [&](const Genome& genome, const Json& json) { return found(genome, json, in_full); });
  if (!what) ++tally_.refused;
  return what;
}

std::optional<std::string> Hunter::found(const Genome& genome, const Json& json, bool in_full) {
  const std::optional<Looked> looked = counted_glance(genome, json);
  if (!looked) return std::nullopt;
  if (goal_.about_paths) {
    const std::optional<bool> left = counted_path(genome, looked->subject);
    if (!left) return std::nullopt;
    return *left ? domain_.find(genome.op)->name + " leaves its path" : "";
  }
  if (!in_full && settles(genome, looked->seen)) return "";
  const Result row = asked(json);
  return goal_.wants(row) ? fingerprint(row) : "";
}

void Hunter::file(std::span<const std::uint8_t> bytes) {
  const Genome genome = decode(bytes);
  if (goal_.about_paths) return cross(genome, boundary_.intended(genome));
  const Json json = case_of(genome, domain_);
  if (const Result row = asked(json); goal_.wants(row)) keep(json, row);
}

}  // namespace plumb
