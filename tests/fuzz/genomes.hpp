#pragma once

#include <rapidcheck/gtest.h>

#include "fuzz/genome.hpp"

namespace rc {

template <>
struct Arbitrary<plumb::TensorGene> {
  static Gen<plumb::TensorGene> arbitrary() {
    return gen::build<plumb::TensorGene>(
        gen::set(&plumb::TensorGene::layout), gen::set(&plumb::TensorGene::values),
        gen::set(&plumb::TensorGene::a), gen::set(&plumb::TensorGene::b));
  }
};

template <>
struct Arbitrary<plumb::AttributeGene> {
  static Gen<plumb::AttributeGene> arbitrary() {
    return gen::build<plumb::AttributeGene>(gen::set(&plumb::AttributeGene::which),
                                            gen::set(&plumb::AttributeGene::value));
  }
};

template <>
struct Arbitrary<plumb::PatchGene> {
  static Gen<plumb::PatchGene> arbitrary() {
    return gen::build<plumb::PatchGene>(gen::set(&plumb::PatchGene::tensor),
                                        gen::set(&plumb::PatchGene::element),
                                        gen::set(&plumb::PatchGene::bits));
  }
};

/// Lists up to what a genome holds.
template <typename T>
Gen<std::vector<T>> at_most(std::size_t most) {
  return gen::mapcat(gen::inRange<std::size_t>(0, most + 1), [](std::size_t count) {
    return gen::container<std::vector<T>>(count, gen::arbitrary<T>());
  });
}

template <>
struct Arbitrary<plumb::Genome> {
  static Gen<plumb::Genome> arbitrary() {
    using plumb::Genome;
    return gen::build<Genome>(
        gen::set(&Genome::op), gen::set(&Genome::plan), gen::set(&Genome::dtype),
        gen::set(&Genome::gradient), gen::set(&Genome::length), gen::set(&Genome::batch),
        gen::set(&Genome::rows), gen::set(&Genome::seed), gen::set(&Genome::tensors),
        gen::set(&Genome::attributes, at_most<plumb::AttributeGene>(Genome::kMostAttributes)),
        gen::set(&Genome::patches, at_most<plumb::PatchGene>(Genome::kMostPatches)));
  }
};

}  // namespace rc

namespace plumb {

// NOLINTNEXTLINE(readability-identifier-naming): RapidCheck gives the name
inline void showValue(const Genome& genome, std::ostream& out) {
  for (const unsigned byte : encode(genome)) out << byte << ' ';
}

}  // namespace plumb
