// The same operators with one mistake each, of a kind that has been shipped. Every one passes a
// test on a few ordinary numbers; a sweep finds them all.

#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "kernels.hpp"

namespace example {
namespace {

/// A loop by 8 without the loop for the rest: a vectorised kernel whose epilogue was forgotten.
at::Tensor sum_tail(const at::Tensor& self, std::int64_t dim) {
  return reduce_rows(self, dim, [](const auto* row, std::int64_t n) {
    Wider<std::decay_t<decltype(*row)>> sum = 0;
    const std::int64_t whole = n < 8 ? n : n - n % 8;
    for (std::int64_t j = 0; j < whole; ++j) sum += row[j];
    return sum;
  });
}

/// The accumulator has the type of the elements: a template written for float, then instantiated
/// for bfloat16. From 256 on it cannot even count.
at::Tensor sum_bf16_accumulate(const at::Tensor& self, std::int64_t dim) {
  return reduce_rows(self, dim, []<typename T>(const T* row, std::int64_t n) {
    T sum = 0;
    for (std::int64_t j = 0; j < n; ++j) sum = sum + row[j];
    return sum;
  });
}

/// Every thread sums its share, and what is left of the division is nobody's: right with one
/// thread, which is what most tests run with.
at::Tensor sum_threads(const at::Tensor& self, std::int64_t dim) {
  return reduce_rows(self, dim, [](const auto* row, std::int64_t n) {
    using W = Wider<std::decay_t<decltype(*row)>>;
    const std::int64_t shares = n < 16 ? 1 : at::get_num_threads();
    const std::int64_t length = n / shares;
    std::vector<W> partial(static_cast<std::size_t>(shares), 0);
    at::parallel_for(0, shares, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin * length; j < end * length; ++j) partial[j / length] += row[j];
    });
    W sum = 0;
    for (const W part : partial) sum += part;
    return sum;
  });
}

/// Online softmax (one pass for maximum and sum) that does not rescale the sum when the maximum
/// changes: right wherever the first element is the largest.
at::Tensor softmax_no_rescale(const at::Tensor& self, std::int64_t dim) {
  return map_rows(self, dim, []<typename T>(const T* row, std::int64_t n, T* out) {
    auto max = -std::numeric_limits<Wider<T>>::infinity();
    Wider<T> sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const auto x = static_cast<Wider<T>>(row[j]);
      if (x > max) max = x;  // sum *= exp(old maximum - new one)
      sum += std::exp(x - max);
    }
    write_softmax(row, n, max, sum, out);
  });
}

/// Loads in pairs, and a lone last element into both halves: half2 on a GPU. Wrong for odd lengths.
at::Tensor softmax_odd(const at::Tensor& self, std::int64_t dim) {
  return map_rows(self, dim, []<typename T>(const T* row, std::int64_t n, T* out) {
    const auto max = max_of(row, n);
    Wider<T> sum = 0;
    for (std::int64_t j = 0; j < n; j += 2) {
      sum += std::exp(static_cast<Wider<T>>(row[j]) - max);
      if (n > 1) sum += std::exp(static_cast<Wider<T>>(row[std::min(j + 1, n - 1)]) - max);
    }
    write_softmax(row, n, max, sum, out);
  });
}

/// `j <= i + 1` for `j <= i`: every token but the last sees its successor, and training looks fine.
at::Tensor causal_attention_off_by_one(const at::Tensor& query, const at::Tensor& key,
                                       const at::Tensor& value, bool is_causal) {
  TORCH_CHECK(is_causal, "causal_attention: expected is_causal");
  return attention_up_to(query, key, value, 1);
}

/// Subnormal numbers become zero: -ffast-math in one object file sets that for the whole process.
at::Tensor scale_flush(const at::Tensor& self, double factor) {
  const at::Tensor x = plain(self);
  at::Tensor out = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "scale_flush", [&] {
    const auto* from = x.const_data_ptr<scalar_t>();
    auto* to = out.mutable_data_ptr<scalar_t>();
    const Wider<scalar_t> least_normal = std::numeric_limits<scalar_t>::min();
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      const auto wide = static_cast<Wider<scalar_t>>(from[i]);
      to[i] = static_cast<scalar_t>(std::abs(wide) < least_normal ? 0 : wide * factor);
    }
  });
  return out;
}

/// Right forward. The backward was derived for silu(x) but is handed the result, which was saved to
/// spare memory: a fused SwiGLU that reuses its output buffer.
class SiluOfResult : public torch::autograd::Function<SiluOfResult> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& self) {
    const at::Tensor result = silu_values(self);
    context->save_for_backward({result});
    return result;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    return {silu_gradient(gradients[0], context->get_saved_variables()[0])};
  }
};

at::Tensor silu_wrong_gradient(const at::Tensor& self) { return SiluOfResult::apply(self); }

}  // namespace

TORCH_LIBRARY_FRAGMENT(example, library) {
  library.def("sum_tail(Tensor self, int dim) -> Tensor");
  library.def("sum_bf16_accumulate(Tensor self, int dim) -> Tensor");
  library.def("sum_threads(Tensor self, int dim) -> Tensor");
  library.def("softmax_no_rescale(Tensor self, int dim) -> Tensor");
  library.def("softmax_odd(Tensor self, int dim) -> Tensor");
  library.def(
      "causal_attention_off_by_one(Tensor query, Tensor key, Tensor value, *, bool is_causal=True) "
      "-> Tensor");
  library.def("scale_flush(Tensor self, float factor) -> Tensor");
  library.def("silu_wrong_gradient(Tensor self) -> Tensor");
}

TORCH_LIBRARY_IMPL(example, CPU, library) {
  library.impl("sum_tail", sum_tail);
  library.impl("sum_bf16_accumulate", sum_bf16_accumulate);
  library.impl("sum_threads", sum_threads);
  library.impl("softmax_no_rescale", softmax_no_rescale);
  library.impl("softmax_odd", softmax_odd);
  library.impl("causal_attention_off_by_one", causal_attention_off_by_one);
  library.impl("scale_flush", scale_flush);
  library.impl("silu_wrong_gradient", silu_values);
}

TORCH_LIBRARY_IMPL(example, Autograd, library) {
  library.impl("silu_wrong_gradient", silu_wrong_gradient);
}

}  // namespace example
