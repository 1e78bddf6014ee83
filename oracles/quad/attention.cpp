// Scaled dot-product attention.

#include <ATen/ATen.h>

#include "oracles/quad/exact.hpp"
#include "oracles/quad/reference.hpp"

namespace plumb::quad {
namespace {

/// Query (…, l, e), key (…, s, e), value (…, s, v) and mask (…, l, s), with equal batches
/// flattened.
struct Attention {
  std::vector<std::int64_t> batch;
  at::Tensor query;
  at::Tensor key;
  at::Tensor value_by_column;  // (…, v, s)
  at::Tensor mask;             // added to the scores
  Quad scale = 1;

  explicit Attention(const Arguments& a);
};

/// 0 where attention is allowed, -inf where it is not; or the numbers to add.
at::Tensor mask_of(const Arguments& a, std::int64_t l, std::int64_t s) {
  at::Tensor mask = at::zeros({l, s}, at::kDouble);
  const double minus_infinity = -__builtin_inf();
  if (a.flag("is_causal")) {
    mask.masked_fill_(at::ones({l, s}, at::kBool).tril().logical_not(), minus_infinity);
  }
  if (!a.has("attn_mask")) return mask;
  const at::Tensor& given = a.inputs()["attn_mask"];
  if (given.scalar_type() != at::kBool) return mask + a.doubles("attn_mask");
  return mask.expand(at::infer_size(mask.sizes(), given.sizes()))
      .masked_fill(given.logical_not(), minus_infinity);
}

Attention::Attention(const Arguments& a) {
  query = a.doubles("query");
  key = a.doubles("key");
  value_by_column = a.doubles("value").transpose(-1, -2);
  mask = mask_of(a, query.size(-2), key.size(-2));
  for (const at::Tensor& tensor : {query, key, value_by_column, mask}) {
    batch = at::infer_size(batch, tensor.sizes().slice(0, std::size_t(tensor.dim() - 2)));
  }
  for (at::Tensor* tensor : {&query, &key, &value_by_column, &mask}) {
    auto shape = batch;
    shape.insert(shape.end(), {tensor->size(-2), tensor->size(-1)});
    *tensor = tensor->expand(shape).contiguous();
  }
  scale = a.number("scale", 1 / sqrtq(Quad(query.size(-1))));
}

/// Probabilities of a row of scores; all 0 where every score is -inf.
void normalise(std::vector<Quad>& row) {
  Quad peak = -kInfinity;
  for (const Quad score : row) peak = is_nan(score) || score > peak ? score : peak;
  Quad total = 0;
  for (Quad& score : row) {
    score = peak == -kInfinity ? Quad(0) : expq(score - peak);
    total += score;
  }
  for (Quad& score : row) score = total == 0 ? Quad(0) : score / total;
}

/// Quads as pairs of doubles, so that products with doubles can be exact.
struct Split {
  std::vector<double> hi;
  std::vector<double> lo;

  explicit Split(const std::vector<Quad>& row) {
    for (const Quad p : row) {
      hi.push_back(static_cast<double>(p));
      lo.push_back(static_cast<double>(p - Quad(hi.back())));
    }
  }
};

Factor rows_of(const at::Tensor& tensor) {
  const std::int64_t length = tensor.size(-1);
  return {tensor.const_data_ptr<double>(), length == 0 ? 0 : tensor.numel() / length, length};
}

QuadTensors attention(const Arguments& a) {
  const Attention in(a);
  const std::int64_t l = in.query.size(-2);
  const std::int64_t s = in.key.size(-2);
  const std::int64_t v = in.value_by_column.size(-2);
  const Factor queries = rows_of(in.query);
  const Factor keys = rows_of(in.key);
  const Factor values = rows_of(in.value_by_column);
  QuadTensor result{in.batch, {}};
  result.shape.insert(result.shape.end(), {l, v});
  std::vector<Quad> row(static_cast<std::size_t>(s));
  const std::int64_t count = s == 0 ? 0 : in.mask.numel() / s;
  for (std::int64_t i = 0; i < count; ++i) {
    const double* mask = in.mask.const_data_ptr<double>() + i * s;
    for (std::int64_t j = 0; j < s; ++j) {
      row[std::size_t(j)] = in.scale * dot(queries, i, keys, i / l * s + j) + Quad(mask[j]);
    }
    normalise(row);
    const Split split(row);
    const Factor hi(split.hi.data(), 1, s);
    const Factor lo(split.lo.data(), 1, s);
    for (std::int64_t c = 0; c < v; ++c) {
      const std::int64_t column = i / l * v + c;
      result.data.push_back(dot(hi, 0, values, column) + dot(lo, 0, values, column));
    }
  }
  return {result};
}

double nanoseconds(const Arguments& a) {
  const at::Tensor& query = a.inputs()["query"];
  const double scores = static_cast<double>(query.numel()) / static_cast<double>(query.size(-1)) *
                        static_cast<double>(a.inputs()["key"].size(-2));
  return scores * (1200 + 5.0 * static_cast<double>(query.size(-1)) +
                   10.0 * static_cast<double>(a.inputs()["value"].size(-1)));
}

const QuadReferences attentions{
    {.name = "aten::scaled_dot_product_attention",
     .operands = {"query", "key", "value", "scale"},
     .options = {"attn_mask", "is_causal"},
     .evaluate = attention,
     .nanoseconds = nanoseconds},
};

}  // namespace
}  // namespace plumb::quad
