#pragma once

#include "bench/verdict/operation.hpp"

namespace plumb::bench {

/// How attention is cut along the keys, what is kept in which type, and what goes wrong.
struct FlashPlan {
  std::int64_t block = 16;
  bool reversed = false;              // keys from the last block to the first
  bool rounds_probabilities = false;  // to the output type, before the product with V
  bool splits = false;                // blocks are independent and merged by their log-sum-exp
  bool rescales = true;               // running sums when the maximum grows
  bool equal_weights = false;         // blocks are merged by their plain mean
  bool drops_tail = false;
  bool first_head_for_all = false;
  std::int64_t mask_shift = 0;   // 1: a key beyond the diagonal is seen, or the last one is not
  std::int64_t value_shift = 0;  // V is read from a row later
  double temperature = 1;
  c10::ScalarType score = c10::ScalarType::Float;
  c10::ScalarType probability = c10::ScalarType::Float;
  c10::ScalarType accumulator = c10::ScalarType::Float;
  c10::ScalarType denominator = c10::ScalarType::Float;
};

at::Tensor attention_scores(const Inputs& in, const FlashPlan& plan);
at::Tensor finish_attention(const at::Tensor& y, const Inputs& in);
at::Tensor flash_attention(const Inputs& in, const FlashPlan& plan);

}  // namespace plumb::bench
