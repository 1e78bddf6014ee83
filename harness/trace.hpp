#pragma once

#include <memory>
#include <string>
#include <vector>

namespace plumb {

/// Records the operators this thread runs while the object lives: the path.
class Trace {
 public:
  Trace();
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  /// Operator names in the order they started, nested ones after their caller.
  const std::vector<std::string>& path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// While it lives, what this thread runs is on no path: it prepares what is to be traced.
class TracePause {
 public:
  TracePause();
  ~TracePause();
  TracePause(const TracePause&) = delete;

 private:
  std::vector<std::string>* paused_;
};

/// The path of the trace that this thread is on; empty where it is on none.
std::vector<std::string> path_so_far();

/// Puts operators on the path of this thread as if they ran now.
void put_on_path(const std::vector<std::string>& names);

/// 8 hex digits over the whole path.
std::string path_hash(const std::vector<std::string>& path);

/// What a person reads: repeats in a row folded ("aten::add x12"), at most `limit` entries.
std::vector<std::string> readable_path(const std::vector<std::string>& path,
                                       std::size_t limit = 48);

/// Whether the wanted names appear in this order; "!name" must not appear at all.
bool path_matches(const std::vector<std::string>& path, const std::vector<std::string>& wanted,
                  std::string& why);

}  // namespace plumb
