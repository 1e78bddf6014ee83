#pragma once

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ATen/ATen.h>

#include "harness/doing.hpp"
#include "harness/isolate.hpp"
#include "harness/task.hpp"

namespace plumb {

/// The zygote of this test program.
inline Zygote*& test_zygote() {
  static Zygote* zygote = nullptr;
  return zygote;
}

// The recursion must not be optimised into a loop.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winfinite-recursion"
[[gnu::noinline]] inline int overflow_the_stack(volatile char* above) {
  volatile char frame[4096];
  frame[0] = above != nullptr ? above[0] : '\1';
  return overflow_the_stack(frame) + frame[0];
}
#pragma GCC diagnostic pop

/// Has this process compete for one processor.
inline void run_on_first_processor() {
  cpu_set_t allowed;
  sched_getaffinity(0, sizeof allowed, &allowed);
  int first = 0;
  while (!CPU_ISSET(first, &allowed)) ++first;
  CPU_ZERO(&allowed);
  CPU_SET(first, &allowed);
  sched_setaffinity(0, sizeof allowed, &allowed);
}

/// Sends the length of an answer, and nothing after it, to whatever socket the worker has.
inline void announce_length(std::uint64_t length) {
  for (int fd = 3; fd < 64; ++fd) send(fd, &length, sizeof length, MSG_NOSIGNAL);
  sleep(3600);
}

inline void work_half_a_second_on_first_processor() {
  run_on_first_processor();
  while (clock() < CLOCKS_PER_SEC / 2) {
  }
}

inline void loop() {
  for (volatile bool forever = true; forever;) {
  }
}

inline void close_everything() {
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  sleep(3600);
}

inline void abort_with_a_child() {
  if (fork() == 0) sleep(3600);
  std::abort();
}

/// So that the worker is dead when the next request comes.
inline void die_soon() {
  if (fork() != 0) return;
  usleep(50'000);
  kill(getppid(), SIGKILL);
  _exit(0);
}

inline void take_64_gib() {
  std::vector<char> block(std::size_t{64} << 30, 1);
  kill(getpid(), block.back());  // so that it is used
}

/// Planted disasters.
inline const std::map<std::string, std::function<void()>>& planted_faults() {
  static const std::map<std::string, std::function<void()>> faults = {
      {"abort", [] { std::abort(); }},
      {"segfault", [] { raise(SIGSEGV); }},
      {"exit", [] { std::exit(0); }},
      {"stack overflow", [] { overflow_the_stack(nullptr); }},
      {"killed", [] { kill(getpid(), SIGKILL); }},
      {"loop", loop},
      {"sleep", [] { sleep(3600); }},
      {"half a second of work on the first processor", work_half_a_second_on_first_processor},
      {"closes everything", close_everything},
      {"dies once answered", die_soon},
      {"child keeps the socket", abort_with_a_child},
      {"half an answer", [] { announce_length(100); }},
      {"endless answer", [] { announce_length(~std::uint64_t{0}); }},
      {"torch error", [] { TORCH_CHECK(false, "planted"); }},
      {"throws a number", [] { throw 42; }},
      {"4 GiB tensor", [] { at::empty({std::int64_t{1} << 32}, at::kByte); }},
      {"64 GiB", take_64_gib}};
  return faults;
}

/// Planted disasters, by name; anything else is an ordinary task.
inline Json testing_serve(const Json& request, const Zygote::Announce& announce) {
  if (!request.contains("planted")) return serve_task(request, announce);
  const std::string fault = request["planted"];
  if (fault == "tells") tell_doing("compiling");
  if (fault == "announced crash") {
    announce({{"name", "announced"}});
    std::abort();
  }
  const auto planted = planted_faults().find(fault);
  if (planted != planted_faults().end()) planted->second();
  return request;  // healthy: answers what it was asked
}

}  // namespace plumb
