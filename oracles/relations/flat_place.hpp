#pragma once

#include <cstdint>
#include <vector>

#include <c10/util/ArrayRef.h>

namespace plumb {

/// Where the element at an index comes in a tensor made flat.
inline std::int64_t flat_place(c10::IntArrayRef sizes, const std::vector<std::int64_t>& index) {
  std::int64_t place = 0;
  for (std::size_t d = 0; d < index.size(); ++d) place = place * sizes[d] + index[d];
  return place;
}

}  // namespace plumb
