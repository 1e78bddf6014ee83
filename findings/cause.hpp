#pragma once

#include <cstddef>
#include <vector>

#include "harness/result.hpp"

namespace plumb {

/// Which findings likely have one cause, from what is known of them once they are small: their
/// finding.json. For each the index of the first of its group. Of one cause are findings of the
/// same operator, variant, device, kind, direction (forward or backward) and relation whose failure
/// hangs on numbers of the same arguments; in one type the intervals of these must meet as well. In
/// two types they need not: where exp overflows depends on the type. Throws what the JSON library
/// does for a record that is none.
std::vector<std::size_t> causes_of(const std::vector<Json>& records);

}  // namespace plumb
