#pragma once

#include <functional>
#include <optional>
#include <string>

#include "harness/condition.hpp"
#include "harness/contract.hpp"
#include "harness/verdict.hpp"

namespace plumb {

/// The judgement of one output.
struct Judgement {
  Verdict verdict = Verdict::exact;
  std::string where;    // output name
  std::string message;  // one sentence of evidence, where the numbers do not say it all
  std::string scope;    // "normwise" or "componentwise" where r > 1
  Distances distances;
  bool numeric = false;             // distances hold
  bool probed = false;              // the conditioning probe was needed
  std::optional<double> lost_bits;  // log2 r_fused, between the fused and the composite bound
  std::vector<std::int64_t> worst_index;
};

/// Whether the numbers are wrong.
bool is_alarm(Verdict verdict);

/// Unstable by less than a factor of 2: on drawn inputs it must show on others as well.
bool is_near_miss(const Judgement& judged);

/// What the judge needs besides output and truth.
struct Jury {
  /// Asked only when the cheap bound does not settle it; may return null: S stays unknown.
  std::function<Conditioning*()> conditioning;
  std::size_t output = 0;    // which output of the conditioning
  bool is_gradient = false;  // of a backward pass: composite bounds may use saved results
  const at::Tensor* first_input = nullptr;  // a mutant for the vacuity check
  bool check_vacuity = true;                // off where `expect.values` is given
  bool sign_of_zero = false;                // counts where `expect.values` is given
  std::optional<BoundTerms> tolerance;      // `ulp` or `rel` of a case, instead of the bound
};

/// The rule of docs/verdict.md for one output: classes, cheap bound, probe, composite bound,
/// confirmation with new xi, vacuity. Never throws for bad values of y; `error` for a wrong shape
/// or kind.
Judgement judge(const Output& output, const Truth& truth, const Contract& contract,
                const Jury& jury);

/// Whether an oracle is off by more than a sixteenth of the bound, by a wider one: the fault that
/// it sees may be its own.
bool oracle_is_weak(const Truth& oracle, const Truth& wider, const BoundTerms& bound);

/// Whether a kernel that ignores its task would pass: zeros, ones, the first input, the last eighth
/// zeroed, twice the truth all keep the bound (docs/verdict.md).
bool is_vacuous(const at::Tensor& y, const Truth& truth, const at::Tensor& spread,
                const BoundTerms& bound, const at::Tensor* first_input);

}  // namespace plumb
