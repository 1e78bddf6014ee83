#include "harness/process_clock.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace plumb {
namespace {

namespace fs = std::filesystem;

/// Seconds that each thread has spent in the run queue: the second number of its schedstat.
std::map<std::string, double> queued(int pid) {
  std::map<std::string, double> seconds;
  std::error_code error;
  fs::directory_iterator thread("/proc/" + std::to_string(pid) + "/task", error);
  for (; !error && thread != fs::directory_iterator(); thread.increment(error)) {
    std::ifstream file(thread->path() / "schedstat");
    double ran = 0;
    double waited = 0;
    if (file >> ran >> waited) seconds[thread->path().filename().string()] = waited * 1e-9;
  }
  return seconds;
}

}  // namespace

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void ProcessClock::start(int pid) {
  pid_ = pid;
  queued_before_ = queued(pid);
  started_ = std::chrono::steady_clock::now();
}

double ProcessClock::wall_seconds() const { return seconds_since(started_); }

double ProcessClock::queued_seconds() const {
  double longest = 0;
  for (const auto& [thread, seconds] : queued(pid_)) {
    const auto before = queued_before_.find(thread);
    longest =
        std::max(longest, before == queued_before_.end() ? seconds : seconds - before->second);
  }
  return longest;
}

}  // namespace plumb
