#pragma once

#include <chrono>
#include <map>
#include <string>

#include "harness/result.hpp"

namespace plumb {

/// Failures that somebody knows of and has given a reason and an end: a file of plumb.known/1
/// (docs/formats.md).
class KnownIssues {
 public:
  /// None.
  KnownIssues() = default;

  /// InputError naming file and field for anything else than plumb.known/1.
  explicit KnownIssues(const std::string& file);

  /// Gives a row that is not ok its fingerprint as a tag. One that is known becomes an expected
  /// failure, with the reason as a tag; on the day after its end it counts again and says so.
  void mark(Result& row, std::chrono::sys_days today) const;

 private:
  struct Issue {
    std::string reason;
    std::chrono::year_month_day last_day;
  };
  std::map<std::string, Issue, std::less<>> issues_;  // by fingerprint
};

/// The tag that holds the fingerprint of a row, and the fingerprint that a row was given so; empty
/// where it was ok.
std::string fingerprint_tag(const std::string& fingerprint);
std::string fingerprint_of(const Result& row);

/// Today in UTC.
std::chrono::sys_days today();

}  // namespace plumb
