#pragma once

#include <chrono>
#include <map>
#include <string>

namespace plumb {

/// By the clock on the wall.
double seconds_since(std::chrono::steady_clock::time_point start);

/// Of processors that this process has used, in seconds.
double cpu_seconds();

/// How long another process had for its work: what a deadline on a busy machine has to count.
class ProcessClock {
 public:
  void start(int pid);

  /// Seconds since `start` by the clock on the wall.
  double wall_seconds() const;

  /// Seconds since `start` in which one of its threads was ready to run and had to wait for a
  /// processor: the longest wait of any one thread. 0 where the kernel does not tell. Sleeping,
  /// reading and waiting for a lock are no such wait.
  double queued_seconds() const;

 private:
  int pid_ = -1;
  std::chrono::steady_clock::time_point started_;
  std::map<std::string, double> queued_before_;  // by thread
};

}  // namespace plumb
