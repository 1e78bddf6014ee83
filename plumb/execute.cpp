#include <cerrno>
#include <filesystem>
#include <iostream>
#include <system_error>
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

namespace fs = std::filesystem;

std::string results_json(const Report& report) {
  return Registry<Reporter>::instance().find("json")->render(report);
}

}  // namespace

void check_writable(const std::string& out) {
  if (out.empty()) throw UsageError("--out: expected the name of a folder, not ''");
  fs::path folder = fs::absolute(out).lexically_normal();
  while (!fs::exists(folder) && folder.has_relative_path()) folder = folder.parent_path();
  if (!fs::is_directory(folder)) {
    throw UsageError("--out: '" + out + "' cannot be a folder: '" + folder.string() +
                     "' is a file");
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw UsageError("--out: cannot write to the folder '" + folder.string() +
                     "': " + std::generic_category().message(errno));
  }
  for (const Reporter& reporter : Registry<Reporter>::instance().all()) {
    const fs::path file = fs::path(out) / reporter.file;
    if (fs::is_directory(file)) {
      throw UsageError("--out: expected to write '" + file.string() + "', but it is a folder");
    }
  }
}

int run_and_report(Zygote& zygote, const std::vector<Json>& tasks, const CommonFlags& flags) {
  return report_run(flags, tasks.size(), [&](const EachRow& each) {
    return run_tasks(zygote, tasks, flags.read(), each);
  });
}

int report_run(const CommonFlags& flags, std::size_t count,
               const std::function<std::vector<Result>(const EachRow&)>& work) {
  const Options options = flags.read();
  check_writable(flags.out);
  Report report;
  report.environment = environment_here(options.seed, options.threads);
  Progress progress(count, flags.json || flags.quiet);
  report.results = work([&](const Result& result) { progress.finished(result); });
  progress.clear();
  for (const Reporter& reporter : Registry<Reporter>::instance().all()) {
    write_file_atomically(fs::path(flags.out) / reporter.file, reporter.render(report));
  }
  if (flags.json) {
    std::cout << results_json(report);
  } else {
    std::cout << summary(report, console_style(flags.quiet));
  }
  return exit_code(report.results);
}

}  // namespace plumb
