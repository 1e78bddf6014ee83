#pragma once

#include "bench/verdict/rules.hpp"

namespace plumb::bench {

/// Whether a planted bug shows in its output: its greatest error |y−g| exceeds that of the same
/// algorithm without the bug by 4× and by one unit in the last place of the output there. Uses no
/// sensitivity and no bound: the judge has no say in what counts.
bool has_effect(const Sample& planted, const std::vector<double>& twin);

}  // namespace plumb::bench
