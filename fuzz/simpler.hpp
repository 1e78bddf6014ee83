#pragma once

#include <vector>

#include "fuzz/genome.hpp"

namespace plumb {

/// Genomes a step simpler than this one, the boldest step first: fewer patches and attributes,
/// forward, the first setting, an ordinary layout, a shorter length, plain values, the first seed.
/// Every chain of them ends, at a genome of zeros with parameters of 1.
std::vector<Genome> simpler(const Genome& genome);

}  // namespace plumb
