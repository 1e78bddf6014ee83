#pragma once

#include <string>
#include <vector>

#include "bench/verdict/operation.hpp"

namespace plumb::bench {

/// Bugs that need not know the operation: rows, tiles, stores and conversions gone wrong around a
/// healthy `base`. `data` names the input that holds the values.
std::vector<Planted> common_bugs(const Function& base, const std::string& data,
                                 c10::ScalarType dtype);

/// For operations whose output is a matrix or a batch of them.
Planted transposed_block(const Function& base);

}  // namespace plumb::bench
