#pragma once

#include "fuzz/domain.hpp"
#include "fuzz/random.hpp"

namespace plumb {

/// What a search may choose from, as far as a sample and a mutation have to know it.
struct Choices {
  std::vector<std::uint32_t> ops;  // hashes of their names
  std::size_t dtypes = 1;
  bool may_go_backward = true;
};

/// A case from scratch: mostly small, in one operator of the choices, with patches now and then.
Genome sample(const Choices& choices, Random& random);

/// The genome with one to three changes: values, layout, length, settings, patched elements.
Genome mutated(Genome genome, const Choices& choices, Random& random);

/// The values of one on the shape and layout of the other, which keeps its operator.
Genome crossed(const Genome& shape, const Genome& values, Random& random);

}  // namespace plumb
