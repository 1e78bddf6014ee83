#pragma once

#include "fuzz/domain.hpp"
#include "harness/result.hpp"
#include "harness/subject.hpp"

namespace plumb {

/// Lengths that the letter n of a plan stands for, by number: small ones, powers of two with their
/// neighbours, primes, and where kernels of torch change their way.
const std::vector<std::int64_t>& gene_lengths();

/// How many numbers of rows a genome may stand for.
inline constexpr std::size_t kGeneRows = 14;

/// The genome as plumb.case/1; the same genome gives the same case in the same domain. Null where
/// the domain has no operator with a plan. Tensors with patched elements are written out, the
/// others drawn from the seed.
Json case_of(const Genome& genome, Domain& domain);

/// A case of this operator, ready to run: what case_from_json makes of it, but for what only the
/// harness needs, in a fraction of the time. InputError where it is none.
Subject subject_of(const Json& stored, const SearchedOperator& op);

}  // namespace plumb
