#pragma once

namespace plumb {

/// While it lives, SIGINT and SIGTERM do not end this process but ask it to end: run_isolated stops
/// its workers and returns, so that what is known by then can be written. One that comes two
/// seconds later or more ends it.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

/// The signal that asked; 0 where none did.
int interrupted();

}  // namespace plumb
