#pragma once

#include <functional>
#include <string>
#include <vector>

#include <ATen/core/Generator.h>

#include "harness/inputs.hpp"

namespace plumb::bench {

/// An implementation: inputs in the case's dtype (arguments by schema name), one output in it.
using Function = std::function<at::Tensor(const Inputs&)>;

/// The value programs every operation is fed with.
enum class Fill { normal, positive, wide, offset, tiny, near_overflow, outlier, cancelling };
inline constexpr int kFills = 8;
inline constexpr int kShapes = 2;

/// What one case is generated from.
struct Draw {
  Fill fill = Fill::normal;
  c10::ScalarType dtype = c10::ScalarType::Float;
  int shape = 0;
  at::Generator generator{};
};

/// Correct by the contract: accumulates in f32, rounds to the output type once (attention: may
/// round its probabilities too).
struct Healthy {
  std::string name;
  Function run;
  bool sequential = false;  // one chain of additions, declared as such (docs/verdict.md)
  std::function<bool(const Draw&)> applies{};  // empty: everywhere
};

/// What a planted bug damages.
enum class Harm { structural, precision, formula };

/// A bug, and the same algorithm without it.
struct Planted {
  std::string kind;
  Harm harm = Harm::structural;
  Function run;
  Function twin;
};

/// One of the six computations of the benchmark.
struct Operation {
  std::string name;
  std::string op;  // schema name: the truth is this operator in the oracle
  std::string overload;
  std::string terms_of;  // the input, and its dimension, that is added up over
  std::int64_t terms_dim = -1;
  std::function<Inputs(const Draw&)> inputs;  // float64; the caller rounds them to the dtype
  std::vector<Healthy> healthy;               // [0] is stock torch
  std::function<std::vector<Planted>(c10::ScalarType)> planted;
};

Operation gemm();
Operation softmax();
Operation layer_norm();
Operation attention();
Operation sum();
Operation variance();

}  // namespace plumb::bench
