#pragma once

#include <functional>
#include <string>

namespace plumb {

/// The index-th of count searches that share the work, from 0.
struct Shard {
  int index = 0;
  int count = 1;
};

/// Of "2/8"; of "auto", what the launcher of many processes put into the environment (Slurm arrays
/// and tasks, MPI, Kubernetes indexed jobs), and of "auto/8" the index alone, where the launcher
/// tells no count. `variable` is getenv. UsageError, with what was looked for, for anything else.
Shard shard_from(const std::string& text, const std::function<const char*(const char*)>& variable);

}  // namespace plumb
