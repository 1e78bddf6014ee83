#include <filesystem>
#include <iostream>
#include <unistd.h>

#include "harness/atomic_file.hpp"
#include "harness/environment.hpp"
#include "harness/errors.hpp"
#include "plumb/command.hpp"
#include "reports/console.hpp"
#include "reports/progress.hpp"
#include "reports/reporter.hpp"

namespace plumb {
namespace {

/// Fails before the work is done, not after.
void check_writable(const std::filesystem::path& folder) {
  const auto probe = folder / ".plumb-writable";
  write_file_atomically(probe, "");
  std::error_code ignored;
  std::filesystem::remove(probe, ignored);
}

std::string results_json(const Report& report) {
  return Registry<Reporter>::instance().find("json")->render(report);
}

}  // namespace

int run_and_report(Zygote& zygote, const std::vector<Json>& tasks, const CommonFlags& flags) {
  const Options options = flags.read();
  check_writable(flags.out);
  Report report;
  report.environment = environment_here(options.seed, options.threads);
  Progress progress(tasks.size(), flags.json || flags.quiet);
  report.results =
      run_tasks(zygote, tasks, options, [&](const Result& result) { progress.finished(result); });
  progress.clear();
  for (const Reporter& reporter : Registry<Reporter>::instance().all()) {
    write_file_atomically(std::filesystem::path(flags.out) / reporter.file,
                          reporter.render(report));
  }
  if (flags.json) {
    std::cout << results_json(report);
  } else {
    std::cout << summary(report, console_style(flags.quiet));
  }
  return exit_code(report.results);
}

}  // namespace plumb
