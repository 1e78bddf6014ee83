#pragma once

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <vector>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <ATen/ATen.h>

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
  frame[0] = above != nullptr ? above[0] : 1;
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

/// Planted disasters, by name; anything else is an ordinary task.
inline Json testing_serve(const Json& request, const Zygote::Announce& announce) {
  if (!request.contains("planted")) return serve_task(request, announce);
  const std::string fault = request["planted"];
  if (fault == "abort") std::abort();
  if (fault == "segfault") raise(SIGSEGV);
  if (fault == "exit") std::exit(0);
  if (fault == "stack overflow") return overflow_the_stack(nullptr);
  if (fault == "killed") kill(getpid(), SIGKILL);
  if (fault == "loop") {
    volatile bool forever = true;
    while (forever) {
    }
  }
  if (fault == "sleep") sleep(3600);
  if (fault == "half a second of work on the first processor") {
    run_on_first_processor();
    while (clock() < CLOCKS_PER_SEC / 2) {
    }
  }
  if (fault == "announced crash") {
    announce({{"name", "announced"}});
    std::abort();
  }
  if (fault == "closes everything") {
    for (int fd = 3; fd < 1024; ++fd) close(fd);
    sleep(3600);
  }
  if (fault == "dies once answered") {  // so that it is dead when the next request comes
    if (fork() == 0) {
      usleep(50'000);
      kill(getppid(), SIGKILL);
      _exit(0);
    }
  }
  if (fault == "child keeps the socket") {
    if (fork() == 0) sleep(3600);
    std::abort();
  }
  if (fault == "half an answer") {
    const std::uint64_t announced = 100;
    for (int fd = 3; fd < 64; ++fd) send(fd, &announced, sizeof announced, MSG_NOSIGNAL);
    sleep(3600);
  }
  if (fault == "endless answer") {
    const std::uint64_t announced = ~std::uint64_t{0};
    for (int fd = 3; fd < 64; ++fd) send(fd, &announced, sizeof announced, MSG_NOSIGNAL);
    sleep(3600);
  }
  if (fault == "torch error") TORCH_CHECK(false, "planted");
  if (fault == "4 GiB tensor") at::empty({std::int64_t{1} << 32}, at::kByte);
  if (fault == "throws a number") throw 42;
  if (fault == "64 GiB") {
    const std::size_t bytes = std::size_t{64} << 30;
    std::vector<char> block(bytes, 1);
    return block[bytes - 1];
  }
  return request;  // healthy: answers what it was asked
}

}  // namespace plumb
