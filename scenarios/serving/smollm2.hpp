#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "harness/io/gguf.hpp"

namespace plumb::smollm2 {

/// Where the GGUF file is looked for: $PLUMB_SMOLLM2, else where `make` put it.
std::filesystem::path file_path();

/// What to install or set, in one sentence, when the file is not there.
std::optional<std::string> why_missing();

/// A tensor inside the network. `block` is -1 outside the blocks.
struct Place {
  int block;
  std::string_view name;
  std::string_view op;
};

/// "block 11 / mlp down-projection (aten::linear)"
std::string describe(const Place& place);

inline constexpr std::string_view kScores = "attention scores";
inline constexpr std::string_view kProduct = "mlp product";
inline constexpr std::string_view kAfterAttention = "residual after attention";
inline constexpr std::string_view kAfterMlp = "residual after mlp";
inline constexpr std::string_view kLogits = "logits";

/// Meets every tensor of a forward pass in execution order; what it returns takes its place.
using Tap = std::function<at::Tensor(const Place&, const at::Tensor&)>;

/// Which key and value head a query head reads, `query head -> head`.
using HeadMap = std::function<std::int64_t(int block, std::int64_t query_head)>;

/// A decoder of the Llama family as SmolLM2 is one: RMS norms, rotary positions on interleaved
/// pairs, grouped-query attention, SwiGLU, head tied to the embedding.
class Network {
 public:
  struct Shape {
    std::int64_t blocks, width, heads, kv_heads;
    double rope_base, epsilon;
  };

  /// Weights as decoded, rounded once to `dtype` (kept in float where `dtype` is wider: they are
  /// floats in the file). `residual_scale` multiplies everything that is written to the residual
  /// stream; the norms divide it out again, so that the function computed stays the same.
  Network(const GgufFile& file, c10::ScalarType dtype, double residual_scale = 1);

  const Shape& shape() const { return shape_; }

  /// [tokens, width]: what enters block 0.
  at::Tensor embed(at::IntArrayRef tokens) const;

  /// [2 blocks + 1, width]: weights of the norms, in execution order.
  const at::Tensor& norms() const { return norms_; }

  HeadMap grouped_heads() const;

  /// What the network would say of these tokens if the residual stream `x` were its last ("logit
  /// lens"): one logit per token.
  at::Tensor lens(const at::Tensor& x, const at::Tensor& norms, at::IntArrayRef tokens) const;

  /// Logits [tokens, vocabulary] of one causal pass. It computes in the type and on the device of
  /// `embedded`: weights are widened where that type is wider than theirs.
  at::Tensor logits(const at::Tensor& embedded, const at::Tensor& norms, const Tap& tap,
                    const HeadMap& kv_head) const;

 private:
  friend class Pass;
  struct Block {
    at::Tensor query, key, value, output, gate, up, down;
  };

  Shape shape_;
  at::Tensor embedding_;
  at::Tensor norms_;
  std::vector<Block> blocks_;
  double residual_scale_;
};

}  // namespace plumb::smollm2
