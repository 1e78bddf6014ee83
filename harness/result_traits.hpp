#pragma once

#include <cstddef>
#include <string_view>

#include "harness/inputs.hpp"

namespace plumb {

/// What the trait table says of single results of an operator.
struct ResultTraits {
  /// So many results are the answer; what follows is kept for the backward pass and documented
  /// nowhere. 0: all are.
  std::size_t answers = 0;
  std::size_t status = 0;      // result that is not 0 where there is no answer; 0: none says so
  bool saves_vectors = false;  // orthonormal vectors, right in norm only: probes move them so
  bool exact_of_reals_only = false;  // of complex inputs an `exact` promise is `fused`

  bool is_bookkeeping(const Output& output, std::size_t number) const {
    return answers > 0 && number >= answers && !output.name.starts_with("grad:");
  }
};

ResultTraits result_traits_of(std::string_view operator_name);

}  // namespace plumb
