#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "harness/isolate.hpp"
#include "harness/registry.hpp"
#include "harness/task.hpp"

namespace plumb {

class KnownIssues;

/// Flags shared by every subcommand that executes something.
struct CommonFlags {
  Options options;
  std::string seed = "0";
  std::string out = "out";
  bool json = false;
  bool quiet = false;
  std::string memory = "4GiB";
  std::string timeout = "60s";
  std::string variants;
  std::string dtypes;
  std::string devices;
  std::string relations;
  std::string known;  // a file

  /// Everything but what follows.
  void add_to(CLI::App& app);
  /// Of those that write there.
  void add_out_to(CLI::App& app);
  /// Of those whose exit code says whether all is well.
  void add_known_to(CLI::App& app);
  /// Those of --known; none without it. InputError where that is no such file.
  KnownIssues known_issues() const;
  /// Options with texts such as "4GiB" and "f32,bf16" read and every name in them known, those of
  /// operators in the libraries too, which this loads; UsageError otherwise.
  Options read() const;

 private:
  const CLI::Option* seed_flag_ = nullptr;
  const CLI::Option* relations_flag_ = nullptr;
};

/// Flags of CommonFlags that a command refuses, or that change nothing there.
void leave_out_of_help(CLI::App& app, const std::vector<std::string>& flags);

/// Cases that a sweep, a search or a merge tries to make a failure smaller.
inline constexpr int kEvaluationsOfAFailure = 380;

/// One subcommand: one file of this folder, which registers itself.
struct Command {
  std::string name;
  std::string about;
  /// Adds its flags and returns what to run once they are parsed; the result is the exit code.
  std::function<std::function<int(Zygote&)>(CLI::App&)> add;
};

/// UsageError where `out` cannot be the folder to write to; before the work, not after, and leaves
/// nothing behind.
void check_writable(const std::string& out);

using EachRow = std::function<void(const Result&)>;

/// Does the work, which calls back for each row, shows progress of `count` pieces, and writes
/// results and reports to --out; returns the exit code (docs/formats.md).
int report_run(Zygote& zygote, const CommonFlags& flags, std::size_t count,
               const std::function<std::vector<Result>(const EachRow&)>& work);

/// Writes results and reports to --out, prints them as --json and --quiet ask, and returns the exit
/// code; of an interrupted run that of the signal.
int write_report(const Report& report, const CommonFlags& flags);

/// Runs tasks in workers, shows progress, writes results.json and its reports to --out, and returns
/// the exit code (docs/formats.md).
int run_and_report(Zygote& zygote, const std::vector<Json>& tasks, const CommonFlags& flags);

}  // namespace plumb
