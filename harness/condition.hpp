#pragma once

#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "harness/contract.hpp"
#include "harness/oracle.hpp"

namespace plumb {

/// Probes of the truth at slightly different inputs: how far the answer moves when every input
/// moves by a relative amount h (docs/verdict.md, "conditioning"). Computed on first use and shared
/// by all variants of a case.
class Conditioning {
 public:
  static constexpr int kProbes = 6;  // K

  /// Keeps references: the oracle, program, inputs and truths must outlive it. With the fp32 oracle
  /// the probes run in double, since h is below float's resolution.
  Conditioning(const Oracle& oracle, const Program& program, const Inputs& inputs,
               const Truths& truths, std::uint64_t seed);

  /// h·S of output i: float64, its shape; root mean square over the probes of f(x(1+h xi)) - g. (S
  /// itself would overflow near the end of double's range.) NaN where no probe survived: only
  /// classes can be compared there. Complex: of the modulus.
  const at::Tensor& spread(std::size_t i);

  /// S itself, for figures a person reads: the spread divided by h.
  at::Tensor sensitivity(std::size_t i) { return spread(i) / kProbeStep; }

  /// For integer and bool outputs: true where some probe changes the element.
  const at::Tensor& changed(std::size_t i);

  /// K more probes with new xi; h·S becomes the larger estimate.
  void refine();

  double seconds() const { return seconds_; }

 private:
  /// What the probes of one output add up to. Floating outputs have `total`, others `changed`.
  struct Sum {
    at::Tensor total{};    // of squares, or its root where squares could leave double's range
    at::Tensor dropped{};  // probes that gave no number, per element; undefined = none
    at::Tensor changed{};
    bool in_squares = false;
  };

  void probe_round();
  static Sum empty_sum(const Truth& g);
  static at::Tensor root_mean_square(Sum& sum);
  Truths probe(std::uint64_t index, double sign) const;
  void accumulate(std::size_t i, const Truth& at_plus, std::uint64_t index, Truths& at_minus,
                  Sum& sum) const;

  const Oracle& oracle_;
  const Program& program_;
  Inputs wide_;
  Truths reference_;
  std::uint64_t seed_;
  int rounds_ = 0;
  double seconds_ = 0;
  std::vector<at::Tensor> spread_;
  std::vector<at::Tensor> changed_;
};

}  // namespace plumb
