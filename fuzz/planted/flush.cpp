// Subnormal numbers become zero.

#include "bug.hpp"
#include "lines.hpp"
#include "products.hpp"

namespace planted {
namespace {

/// Below its least normal number a type has zero alone.
template <typename T>
double flushed(double x) {
  return std::abs(x) < wide(std::numeric_limits<T>::min()) ? 0 : x;
}

/// f16 results are made by an instruction that knows no subnormal ones.
template <bool kFaulty>
at::Tensor softmax(const at::Tensor& self, std::int64_t dim) {
  return map_lines(self, dim, []<typename T>(Line<T> x, T* out) {
    const double max = greatest(x, 0, x.n);
    double sum = 0;
    for (std::int64_t j = 0; j < x.n; ++j) sum += std::exp(x[j] - max);
    for (std::int64_t j = 0; j < x.n; ++j) {
      const double p = std::exp(x[j] - max) / sum;
      out[j] = narrow<T>(kFaulty && std::is_same_v<T, at::Half> ? flushed<T>(p) : p);
    }
  });
}

/// Vectors of eight take subnormal numbers for zero.
template <bool kFaulty>
at::Tensor sqrt(const at::Tensor& self) {
  const auto scalar = []<typename T>(T x) { return narrow<T>(std::sqrt(wide(x))); };
  const auto vector = []<typename T>(T x) {
    return narrow<T>(std::sqrt(kFaulty ? flushed<T>(wide(x)) : wide(x)));
  };
  return map_elements(self, 8, vector, scalar);
}

/// bf16 has a dot product of sixteen terms at a time, which flushes what comes in and the products.
template <bool kFaulty>
at::Tensor mm(const at::Tensor& self, const at::Tensor& mat2) {
  return product(self, mat2, []<typename T>(Matrix<T> a, Matrix<T> b, auto i, auto j, auto k) {
    const bool flushes = kFaulty && std::is_same_v<T, at::BFloat16>;
    const std::int64_t whole = k - k % 16;
    double sum = 0;
    for (std::int64_t l = 0; l < k; ++l) {
      sum += flushes && l < whole ? flushed<T>(flushed<T>(a(i, l)) * flushed<T>(b(l, j)))
                                  : a(i, l) * b(l, j);
    }
    return sum;
  });
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"softmax_flush_1(Tensor self, int dim) -> Tensor", "aten::softmax.int", "subnormal flush",
         "f16; a probability below 6.1e-5, as of an element 9.7 or more below the greatest"},
        softmax<true>, softmax<false>);
  plant(library,
        {"sqrt_flush_2(Tensor self) -> Tensor", "aten::sqrt", "subnormal flush",
         "8 or more elements; one of the whole vectors subnormal"},
        sqrt<true>, sqrt<false>);
  plant(library,
        {"mm_flush_3(Tensor self, Tensor mat2) -> Tensor", "aten::mm", "subnormal flush",
         "bf16; k >= 16; a subnormal factor or product that matters to the sum"},
        mm<true>, mm<false>);
}

}  // namespace
}  // namespace planted
