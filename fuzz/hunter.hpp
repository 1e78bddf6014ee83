#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "fuzz/boundary.hpp"
#include "fuzz/domain.hpp"
#include "fuzz/features.hpp"
#include "fuzz/goal.hpp"
#include "harness/case.hpp"

namespace plumb {

/// A failure that a search came upon.
struct Catch {
  Json stored;  // the case
  Result row;
  std::uint64_t execution = 0;
  std::string condition = {};  // of a fallback: what of the case must stay as it is
};

/// What a search did so far.
struct Tally {
  std::uint64_t executions = 0;
  std::uint64_t refused = 0;  // by torch
  std::uint64_t judged = 0;   // by the harness in full
  std::map<std::string, std::uint64_t> verdicts = {};
  std::map<std::string, std::uint64_t> by_operator = {};
};

/// Executes the cases of a search, one after another: a glance at each, the harness for what that
/// leaves open, for what lights a new feature, and for a few of the others.
class Hunter {
 public:
  /// `fields` as of a task (flags_beside_case): how cases are judged. `caught` is called for the
  /// first failure of each fingerprint that the goal wants.
  Hunter(Domain& domain, const Goal& goal, Features& features, Json fields,
         std::function<void(const Catch&)> caught);

  /// A failure that is in the files already and shall not be caught again.
  void know(const Catch& found);

  /// Lights the features of an input that an earlier search kept; counts and asks nothing.
  void replay(std::span<const std::uint8_t> bytes);

  /// False where torch refuses the case: nothing to build on.
  bool execute(std::span<const std::uint8_t> bytes);

  /// What failed, for an engine that makes failures simpler itself: nothing where torch refuses the
  /// case, an empty text where nothing is wrong that the goal wants, else what tells the failure
  /// from others. Asks the harness as `execute` does, or always.
  std::optional<std::string> judge(std::span<const std::uint8_t> bytes, bool in_full);

  /// Hands the failure of a case to `caught`.
  void file(std::span<const std::uint8_t> bytes);

  const Tally& tally() const { return tally_; }

 private:
  /// A case as it was glanced at; its features are lit. Nothing where torch refuses it.
  struct Looked {
    Subject subject;
    Glance seen;
  };
  /// What `with(genome, case)` gives, or nothing where the bytes are no case of this domain.
  template <typename WithCase>
  auto with_case(std::span<const std::uint8_t> bytes, WithCase with);
  std::optional<Looked> glanced(const Genome& genome, const Json& json);
  std::optional<Looked> counted_glance(const Genome& genome, const Json& json);
  bool look(const Genome& genome, const Json& json);
  std::optional<std::string> found(const Genome& genome, const Json& json, bool in_full);
  bool must_ask(const Genome& genome, const Glance& seen);
  /// Whether the glance is all there is to a case, which then counts with its verdict.
  bool settles(const Genome& genome, const Glance& seen);
  void count(Verdict verdict);
  /// Whether the case leaves its fused kernel; nothing where torch refuses it.
  std::optional<bool> left_path(const std::vector<std::string>& intended, const Subject& subject);
  /// The same of an execution; those without such a kernel are counted.
  std::optional<bool> counted_path(const Genome& genome, const Subject& subject);
  bool watch_path(const Genome& genome, const Subject& subject);
  void cross(const Genome& genome, const std::vector<std::string>& intended);
  Case read(const Json& json) const;
  void ask(const Json& json);
  Result asked(const Json& json);
  void keep(const Json& json, const Result& row);

  Domain& domain_;
  const Goal& goal_;
  Features& features_;
  Boundary boundary_;
  Json fields_;
  std::function<void(const Catch&)> caught_;
  Tally tally_;
  std::set<std::string> fingerprints_;
  std::map<std::string, std::uint64_t> open_;  // by operator, dtype, verdict and place
};

}  // namespace plumb
