// The right kernels, which the faulty ones are made from.

#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rows.hpp"

namespace example {

/// exp(x - max) of a row, given its maximum and what these add up to.
template <typename T>
void write_softmax(const T* row, std::int64_t n, Wider<T> max, Wider<T> sum, T* out) {
  for (std::int64_t j = 0; j < n; ++j) {
    out[j] = static_cast<T>(std::exp(static_cast<Wider<T>>(row[j]) - max) / sum);
  }
}

template <typename T>
Wider<T> max_of(const T* row, std::int64_t n) {
  auto max = -std::numeric_limits<Wider<T>>::infinity();
  for (std::int64_t j = 0; j < n; ++j) max = std::max(max, static_cast<Wider<T>>(row[j]));
  return max;
}

/// One query row attends to the first `visible` keys.
template <typename T>
void attend(const T* query, const T* keys, const T* values, std::int64_t visible, std::int64_t d,
            std::int64_t width, T* out) {
  using W = Wider<T>;
  std::vector<W> weights(static_cast<std::size_t>(visible));
  W max = -std::numeric_limits<W>::infinity();
  for (std::int64_t j = 0; j < visible; ++j) {
    W score = 0;
    for (std::int64_t k = 0; k < d; ++k) score += W(query[k]) * W(keys[j * d + k]);
    weights[j] = score / std::sqrt(static_cast<W>(d));
    max = std::max(max, weights[j]);
  }
  const auto is_hidden = [](W weight) { return std::isinf(weight) && weight < 0; };
  if (std::all_of(weights.begin(), weights.end(), is_hidden)) {
    std::fill_n(out, width, T(0));  // as torch's attention: no key can be seen
    return;
  }
  W sum = 0;
  for (W& weight : weights) sum += weight = std::exp(weight - max);
  for (std::int64_t k = 0; k < width; ++k) {
    W value = 0;
    for (std::int64_t j = 0; j < visible; ++j) value += weights[j] * W(values[j * width + k]);
    out[k] = static_cast<T>(value / sum);
  }
}

/// softmax(QK'/√d)V where query i sees the keys 0 … i + slip; right with slip 0.
inline at::Tensor attention_up_to(const at::Tensor& query, const at::Tensor& key,
                                  const at::Tensor& value, std::int64_t slip) {
  TORCH_CHECK(query.dim() >= 2 && key.dim() == query.dim() && value.dim() == query.dim(),
              "causal_attention: expected query, key and value with as many dimensions");
  const at::Tensor q = plain(query), k = plain(key), v = plain(value);
  const std::int64_t length = q.size(-2), keys = k.size(-2), d = q.size(-1), width = v.size(-1);
  auto sizes = q.sizes().vec();
  sizes.back() = width;
  at::Tensor out = at::empty(sizes, q.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, q.scalar_type(), "attention", [&] {
    for (std::int64_t row = 0; row < out.numel() / std::max<std::int64_t>(width, 1); ++row) {
      const std::int64_t batch = row / length, i = row % length;
      attend(q.const_data_ptr<scalar_t>() + row * d,
             k.const_data_ptr<scalar_t>() + batch * keys * d,
             v.const_data_ptr<scalar_t>() + batch * keys * width, std::min(i + 1 + slip, keys), d,
             width, out.mutable_data_ptr<scalar_t>() + row * width);
    }
  });
  return out;
}

inline at::Tensor silu_values(const at::Tensor& self) {
  return map_elements(self, [](auto x) {
    // The limit at -inf is 0; the formula gives -inf / inf. A sweep found that it was missing.
    return std::isinf(x) && x < 0 ? 0 * std::abs(1 / x) : x / (1 + std::exp(-x));
  });
}

/// The gradient of silu at `self`, times what comes from above.
inline at::Tensor silu_gradient(const at::Tensor& above, const at::Tensor& self) {
  return above.mul(map_elements(self, [](auto x) {
    const auto sigmoid = 1 / (1 + std::exp(-x));
    return sigmoid * (1 + x * (1 - sigmoid));
  }));
}

}  // namespace example
