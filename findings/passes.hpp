#pragma once

#include "findings/search.hpp"

namespace plumb {

/// The steps of a minimisation, in their order (docs/minimize.md). Each works on the best case so
/// far and leaves it alone where nothing simpler fails.

/// Takes away what has a default: gradients, cotangent, relations, expectation, arguments, items of
/// lists.
void drop_extras(Search& search);

/// Fewer elements: sizes that several tensors and lists share together, then each dimension alone,
/// then dimensions of size 1. Of drawn tensors the shape alone.
void shrink_sizes(Search& search);

/// Contiguous, without offset or view.
void plain_layout(Search& search);

/// As many elements as possible to one background value: 0, 1 or the first. Drawn tensors become a
/// constant.
void to_background(Search& search);

/// Fewest significant bits, exponents that are multiples of 4, short decimals, small integers.
void simple_numbers(Search& search);

}  // namespace plumb
