#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/result.hpp"

namespace plumb {

/// What one request may use before its worker is stopped.
struct Limits {
  /// Time without an answer, not counting what the worker waited for a processor: a busy machine
  /// must not make a sound case `hung`. By the wall clock it ends after ten times as much.
  double timeout_seconds = 60;
  std::uint64_t memory_bytes = std::uint64_t{4} << 30;  // address space on top of the idle worker
  int threads = 1;                                      // whose stacks come on top of that
  /// CUDA is made ready before the first request, and `memory_bytes` counts what is written to
  /// alone: the driver reserves address space by the hundred GiB. `run_isolated` sets it where a
  /// request asks for such a device.
  bool cuda = false;
};

/// "the limit is 4GiB"
std::string limit_in_words(const Limits& limits);

/// How a request ended.
struct Outcome {
  Verdict failure = Verdict::exact;  // crashed, hung, out_of_memory; exact = answered
  Json answer;                       // what `serve` returned
  Json label;                        // what it announced last; null if nothing
  std::string reason;                // "killed by SIGSEGV (Segmentation fault)"
  double seconds = 0;

  bool answered() const { return failure == Verdict::exact; }
};

/// The source of worker processes: a child forked before this process ran any parallel region
/// (a child forked after ATen's intra-op pool has run would hang). Create it first thing in main.
/// Workers inherit the loaded libtorch, so that one starts in milliseconds.
class Zygote {
 public:
  /// Tells the main process what the request is, before anything dangerous is done with it; of
  /// several, what comes next. The deadline starts anew.
  using Announce = std::function<void(const Json& label)>;
  using Serve = std::function<Json(const Json& request, const Announce& announce)>;

  /// `serve` runs in the workers. Throws std::runtime_error when no process can be made.
  explicit Zygote(const Serve& serve);
  ~Zygote();
  Zygote(const Zygote&) = delete;
  Zygote& operator=(const Zygote&) = delete;

  /// Asks for a worker that talks over `socket`; returns its pid. It is a child of this process
  /// and leads a process group of its own.
  int spawn(int socket, const Limits& limits);

 private:
  int control_ = -1;
  int pid_ = -1;
};

/// How many workers: `jobs`, or as many as the cores hold at `threads` each where it is 0.
int worker_count(int jobs, int threads);

/// Runs requests in `jobs` workers that are reused until one dies. Outcomes are delivered in the
/// order in which requests end, with their index; an exception of `done` stops the run. Every
/// request gets an outcome: a crash, hang or blow-up costs that request alone. What a worker sends
/// is not trusted.
void run_isolated(Zygote& zygote, const std::vector<Json>& requests, int jobs, const Limits& limits,
                  const std::function<void(std::size_t, Outcome)>& done);

}  // namespace plumb
