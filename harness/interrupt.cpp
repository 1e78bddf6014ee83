#include "harness/interrupt.hpp"

#include <csignal>
#include <ctime>
#include <initializer_list>

namespace plumb {
namespace {

volatile std::sig_atomic_t asked = 0;

volatile std::sig_atomic_t asked_at = 0;  // seconds

int seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int>(now.tv_sec);
}

/// `timeout` signals its child and then the group that the child is in: that is one wish.
void ask(int signal) {
  if (asked == 0) {
    asked = signal;
    asked_at = seconds_now();
  } else if (seconds_now() - asked_at >= 2) {
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
}

void handle(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == SIG_IGN) continue;  // as nohup wants it
    struct sigaction action {};
    action.sa_handler = handler;
    // What waits elsewhere goes on; the loop over workers looks every tick.
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

Interruptible::Interruptible() { handle(ask); }

Interruptible::~Interruptible() { handle(SIG_DFL); }

int interrupted() { return asked; }

}  // namespace plumb
