#pragma once

#include <cstdint>
#include <vector>

#include "harness/task.hpp"

namespace plumb {

using Input = std::vector<std::uint8_t>;

/// The inputs that light a feature which none before them lit (docs/fuzz.md), the shortest first,
/// as glances of a search of all operators in f32, bf16 and f16 see them. They run in a worker;
/// what kills it is left out, and so is what torch refuses. Of operators that are not here all are
/// kept.
std::vector<Input> distilled(Zygote& zygote, std::vector<Input> inputs, const Options& options);

}  // namespace plumb
