#pragma once

#include <cstdint>
#include <map>
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
  /// classes can be compared there. Complex: of the modulus. With several rounds of K probes the
  /// largest of their estimates; what few rounds say does not depend on whether more were run.
  const at::Tensor& spread(std::size_t i, int rounds = 1);

  /// S itself, for figures a person reads: the spread divided by h.
  at::Tensor sensitivity(std::size_t i) { return spread(i) / kProbeStep; }

  /// h·S where results that the forward pass leaves for the backward pass move as well, as rounding
  /// moves them: what a composite gradient may lose. Probes that hold the inputs count where they
  /// find far more: h of an input may be more than what is saved can follow (h of a logit of 1e10
  /// makes softmax one-hot, and its gradient 0 whatever is done to it).
  const at::Tensor& spread_with_saved(std::size_t i, int rounds = 1);

  /// h·S where the inputs move by `step` instead of h, in proportion: larger than `spread` where
  /// something lies beyond h of the input and within `step`, such as the other side of a kink.
  const at::Tensor& spread_at(std::size_t i, double step);

  /// For integer and bool outputs: true where some probe changes the element.
  const at::Tensor& changed(std::size_t i);

  /// For floating outputs: true where the right value is NaN or infinite and becomes another of NaN
  /// and the two infinities in one of 4 K probes whose inputs move by `step`:
  /// of as many all may have the same sign once in 10^7. The difference of two numbers that are
  /// equal but for rounding, times infinity, is any of them.
  at::Tensor undecided(std::size_t i, double step);

  double seconds() const { return seconds_; }

 private:
  /// What the probes of one output add up to. Floating outputs have `total`, others `changed`.
  struct Sum {
    at::Tensor total{};    // of squares, or its root where squares could leave double's range
    at::Tensor dropped{};  // probes that gave no number, per element; undefined = none
    at::Tensor changed{};
    bool in_squares = false;
  };

  /// What K probes a round found out.
  struct Estimate {
    bool moves_saved = false;
    std::vector<std::vector<at::Tensor>> spread{};  // by rounds, then by output
    std::vector<std::vector<at::Tensor>> changed{};

    int rounds() const { return static_cast<int>(spread.size()); }
  };

  /// One probe: xi by number, with its sign.
  struct Probe {
    std::uint64_t number = 0;
    bool moves_saved = false;
    double step = kProbeStep;  // h
    bool holds_whole_numbers = false;
    bool holds_inputs = false;  // moves saved results and cotangents alone
  };

  void probe_round(Estimate& estimate);
  std::vector<Sum> sums_of(Probe first, int count = kProbes) const;
  std::size_t settled(Estimate& estimate, int rounds);
  static Sum empty_sum(const Truth& g);
  static at::Tensor root_mean_square(Sum& sum, int of = kProbes);
  Inputs moved_inputs(const Probe& probe) const;
  Truths run(const Probe& probe) const;
  Truths run_backward(const Probe& probe, const Inputs& moved) const;
  void accumulate(std::size_t i, const Truth& at_plus, Probe probe, Truths& at_minus,
                  Sum& sum) const;

  const Oracle& oracle_;
  const Program& program_;
  Inputs wide_;
  Truths reference_;
  std::uint64_t seed_;
  double seconds_ = 0;
  Estimate plain_;
  Estimate with_saved_{.moves_saved = true};
  std::map<double, std::vector<at::Tensor>> at_step_;  // by output
};

}  // namespace plumb
