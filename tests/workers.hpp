#pragma once

#include <csignal>
#include <cstdlib>
#include <vector>
#include <unistd.h>

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

/// Planted disasters, by name; anything else is an ordinary task.
inline Json testing_serve(const Json& request) {
  if (!request.contains("planted")) return serve_task(request);
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
  if (fault == "64 GiB") {
    const std::size_t bytes = std::size_t{64} << 30;
    std::vector<char> block(bytes, 1);
    return block[bytes - 1];
  }
  return request;  // healthy: answers what it was asked
}

}  // namespace plumb
