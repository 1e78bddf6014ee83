#pragma once

#include <optional>

#include "harness/judge.hpp"
#include "harness/oracle.hpp"
#include "harness/subject.hpp"

namespace plumb {

/// What a quick look at a case shows.
struct Glance {
  enum class Kind {
    settled,  // right by the verdict rule, with fp64 as the oracle
    open,     // for the harness to say: path, contract, quad and relations decide
    refused   // torch does not run it, in this type or at all
  };

  Kind kind = Kind::open;
  bool raised = false;  // the call, though it runs in double
  Outputs outputs = {};
  Judgement worst = {};         // of the outputs
  std::optional<double> kappa;  // largest S/|g| of the output judged worst, where it was probed
};

/// The rule of docs/verdict.md on outputs and truths alone: classes and cheap bound first, then the
/// probes. It only says "surely right", which evaluate() would say as well, or leaves it open. No
/// trace, digest, relation, repeat or check for vacuity, which say nothing new of a right answer.
Glance glance(const Subject& subject, std::uint64_t seed);

}  // namespace plumb
