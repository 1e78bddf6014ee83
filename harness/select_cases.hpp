#pragma once

#include <string>
#include <vector>

#include "harness/task.hpp"

namespace plumb {

/// One task per case below the paths (files or folders; a file named twice counts once) and per
/// variant, dtype and device asked for. Every case is read here, in workers, so that a bad one is
/// refused before any work: InputError, also where two cases would give one id.
std::vector<Json> case_tasks(Zygote& zygote, const std::vector<std::string>& paths,
                             const Options& options);

}  // namespace plumb
