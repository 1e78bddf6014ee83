// Sums, or parts of them, are kept in the type of the elements.

#include "bug.hpp"
#include "lines.hpp"
#include "products.hpp"

namespace planted {
namespace {

/// f16 has additions of its own on this machine, so the template was not given a wider type.
template <bool kFaulty>
at::Tensor cumsum(const at::Tensor& self, std::int64_t dim) {
  return map_lines(self, dim, []<typename T>(Line<T> x, T* out) {
    double sum = 0;
    for (std::int64_t j = 0; j < x.n; ++j) {
      sum += x[j];
      if (kFaulty && std::is_same_v<T, at::Half>) sum = stored<T>(sum);
      out[j] = narrow<T>(sum);
    }
  });
}

/// Blocks of sixteen terms; between two blocks the tile of C goes back to where the result will be.
template <bool kFaulty>
at::Tensor mm(const at::Tensor& self, const at::Tensor& mat2) {
  return product(self, mat2, []<typename T>(Matrix<T> a, Matrix<T> b, auto i, auto j, auto k) {
    double sum = 0;
    for (std::int64_t block = 0; block < k; block += 16) {
      for (std::int64_t l = block; l < std::min(block + 16, k); ++l) sum += a(i, l) * b(l, j);
      if (kFaulty && is_half<T>) sum = stored<T>(sum);
    }
    return sum;
  });
}

/// Two passes; the mean of long lines goes through memory between them.
template <bool kFaulty>
at::Tensor var(const at::Tensor& self, std::int64_t dim) {
  return reduce_lines(self, dim, []<typename T>(Line<T> x) {
    double mean = 0;
    for (std::int64_t j = 0; j < x.n; ++j) mean += x[j];
    mean /= static_cast<double>(x.n);
    if (kFaulty && is_half<T> && x.n >= 32) mean = stored<T>(mean);
    double squares = 0;
    for (std::int64_t j = 0; j < x.n; ++j) squares += (x[j] - mean) * (x[j] - mean);
    return squares / static_cast<double>(std::max<std::int64_t>(x.n - 1, 0));
  });
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"cumsum_accumulator_1(Tensor self, int dim) -> Tensor", "aten::cumsum",
         "accumulator dtype", "the running sum is kept in f16: f16, n > 2"},
        cumsum<true>, cumsum<false>);
  plant(library,
        {"mm_accumulator_2(Tensor self, Tensor mat2) -> Tensor", "aten::mm", "accumulator dtype",
         "the sum is rounded after each 16 terms: bf16 or f16; k > 16"},
        mm<true>, mm<false>);
  plant(library,
        {"var_accumulator_3(Tensor self, int dim) -> Tensor", "aten::var.dim", "accumulator dtype",
         "the mean is rounded before it is subtracted: bf16 or f16; n >= 32; a mean above 32 "
         "(bf16) or 64 (f16) standard deviations"},
        var<true>, var<false>);
}

}  // namespace
}  // namespace planted
