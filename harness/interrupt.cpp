#include "harness/interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace plumb {
namespace {

volatile std::sig_atomic_t asked = 0;

void ask(int signal) { asked = signal; }

void handle(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler == SIG_IGN) continue;  // as nohup wants it
    struct sigaction action {};
    action.sa_handler = handler;
    // What waits elsewhere goes on; the loop over workers looks every tick.
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

Interruptible::Interruptible() { handle(ask); }

Interruptible::~Interruptible() { handle(SIG_DFL); }

int interrupted() { return asked; }

}  // namespace plumb
