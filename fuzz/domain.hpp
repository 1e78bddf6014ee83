#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>

#include "fuzz/genome.hpp"
#include "harness/format.hpp"
#include "harness/reference.hpp"
#include "sweep/plan.hpp"

namespace plumb {

/// An operator that is searched.
struct SearchedOperator {
  std::string name;        // with overload
  std::size_t number = 0;  // of its features: its place among few operators, else its hash
  c10::OperatorHandle handle;
  std::vector<Plan> plans = {};                // not empty
  std::vector<c10::Argument> attributes = {};  // numbers and flags of the schema
  bool has_gradient = false;
  bool has_reference = false;  // another operator says what is right
  Program program = {};
};

/// What the numbers of a genome stand for: operators by name, and dtypes. Plans are made when an
/// operator is first met, which runs it: use it in a worker.
class Domain {
 public:
  /// `ops` are full names. `references` as in Options.
  Domain(std::vector<std::string> ops, std::vector<std::string> dtypes,
         const std::vector<std::string>& references = {});

  std::size_t size() const { return ops_.size(); }
  const std::vector<std::string>& ops() const { return ops_; }

  /// The operator whose name has this hash, else the one that the number falls to; the next with a
  /// plan where that has none. Null where none has.
  const SearchedOperator* find(std::uint32_t op);

  /// Torch's name of the type that a genome's number stands for. Complex numbers are judged in f32,
  /// as in a sweep, and only where that is searched.
  std::string dtype(const Genome& genome, const Plan& plan) const;
  const std::vector<std::string>& dtypes() const { return dtypes_; }

 private:
  const SearchedOperator* made_ready(std::size_t number);
  bool judges_complex() const;

  std::vector<std::string> ops_;
  std::vector<std::string> dtypes_;
  std::vector<ReferenceRule> references_;
  std::map<std::uint32_t, std::size_t> by_hash_;
  std::vector<std::unique_ptr<SearchedOperator>> ready_;
  std::vector<bool> tried_;
};

}  // namespace plumb
