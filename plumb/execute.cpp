#include <algorithm>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "findings/known.hpp"
#include "harness/atomic_file.hpp"
#include "harness/doing.hpp"
#include "harness/environment.hpp"
#include "harness/errors.hpp"
#include "harness/interrupt.hpp"
#include "harness/text.hpp"
#include "harness/writable_folder.hpp"
#include "plumb/command.hpp"
#include "reports/console.hpp"
#include "reports/progress.hpp"
#include "reports/reporter.hpp"
#include "reports/text.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

std::string results_json(const Report& report) {
  return Registry<Reporter>::instance().find("json")->render(report);
}

bool ran_on_cuda(const Result& result) {
  return result.device.starts_with("cuda") && result.verdict != Verdict::skipped;
}

}  // namespace

void check_writable(const std::string& out) {
  if (out.empty()) throw UsageError("--out: expected the name of a folder, not ''");
  try {
    check_folder_writable(out);
  } catch (const InputError& error) {
    throw UsageError(std::string("--out: ") + error.what());
  }
  const fs::path findings = fs::path(out) / "findings";
  if (const fs::file_status status = fs::status(findings);
      fs::exists(status) && !fs::is_directory(status)) {
    throw UsageError("--out: expected a folder for findings, but '" + findings.string() +
                     "' is a file");
  }
  for (const Reporter& reporter : Registry<Reporter>::instance().all()) {
    const fs::path file = fs::path(out) / reporter.file;
    if (fs::is_directory(file)) {
      throw UsageError("--out: expected to write '" + file.string() + "', but it is a folder");
    }
  }
}

int run_and_report(Zygote& zygote, const std::vector<Json>& tasks, const CommonFlags& flags) {
  return report_run(zygote, flags, tasks.size(), [&](const EachRow& each) {
    return run_tasks(zygote, tasks, flags.read(), each);
  });
}

int report_run(Zygote& zygote, const CommonFlags& flags, std::size_t count,
               const std::function<std::vector<Result>(const EachRow&)>& work) {
  const Options options = flags.read();
  check_writable(flags.out);
  const KnownIssues known = flags.known_issues();
  const auto day = today();
  const Interruptible interruptible;
  Report report;
  report.environment = environment_here(options.seed, options.threads);
  Progress progress(count, flags.json || flags.quiet);
  show_doing_by([&](const std::string& what) { progress.doing(what); });
  report.results = work([&](Result result) {
    known.mark(result, day);
    progress.finished(result);
  });
  for (Result& result : report.results) known.mark(result, day);
  show_doing_by({});
  progress.clear();
  if (std::ranges::any_of(report.results, ran_on_cuda)) add_cuda(report.environment, zygote);
  return write_report(report, flags);
}

int write_report(const Report& report, const CommonFlags& flags) {
  for (const Reporter& reporter : Registry<Reporter>::instance().all()) {
    write_file_atomically(fs::path(flags.out) / reporter.file, reporter.render(report));
  }
  if (flags.json) {
    std::cout << results_json(report);
  } else {
    std::cout << summary(report, console_style(flags.quiet));
  }
  if (const int signal = interrupted()) {
    std::cout.flush();
    std::cerr << "plumb: stopped by SIG" << sigabbrev_np(signal) << "; '" << flags.out
              << "' holds what was judged until then: " << plural(report.results.size(), "result")
              << "\n";
    return 128 + signal;
  }
  return exit_code(report.results);
}

}  // namespace plumb
