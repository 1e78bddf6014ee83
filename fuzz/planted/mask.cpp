// A triangular mask: row i keeps the columns up to i + diagonal, and what is hidden becomes 0.

#include "bug.hpp"
#include "lines.hpp"

namespace planted {
namespace {

/// `of_row(line, last column that it keeps, result)` writes each row.
template <typename OfRow>
at::Tensor map_rows(const at::Tensor& self, std::int64_t diagonal, OfRow of_row) {
  TORCH_CHECK(self.dim() >= 2, "tril: expected at least two dimensions");
  std::int64_t row = -1;
  return map_lines(self, -1, [&]<typename T>(Line<T> x, T* out) {
    row = (row + 1) % self.size(-2);
    of_row(x, row + diagonal, out);
  });
}

/// Vectors of sixteen columns; only the one that holds the diagonal looks at the mask.
template <bool kFaulty>
at::Tensor by_vectors(const at::Tensor& self, std::int64_t diagonal) {
  return map_rows(self, diagonal, []<typename T>(Line<T> x, std::int64_t last, T* out) {
    for (std::int64_t j = 0; j < x.n; ++j) {
      const std::int64_t end = j - j % 16 + 15;  // of its vector
      const bool is_kept_whole = end <= last + (kFaulty ? 1 : 0);
      out[j] = is_kept_whole || j <= last ? x.data[j * x.step] : T(0);
    }
  });
}

/// A matrix that lies column by column is masked column by column: from which row on?
template <bool kFaulty>
at::Tensor by_columns(const at::Tensor& self, std::int64_t diagonal) {
  const bool lies_by_columns = self.dim() >= 2 && self.stride(-2) == 1 && self.stride(-1) > 1;
  const bool is_long = lies_by_columns && self.size(-2) >= 8;
  const std::int64_t shift = kFaulty && is_long ? 1 : 0;
  return map_rows(self, diagonal, [shift]<typename T>(Line<T> x, std::int64_t last, T* out) {
    for (std::int64_t j = 0; j < x.n; ++j) {
      out[j] = j <= last + shift ? x.data[j * x.step] : T(0);
    }
  });
}

/// Long rows of half types: what is next to the diagonal is multiplied by the mask, the rest
/// chosen.
template <bool kFaulty>
at::Tensor by_product(const at::Tensor& self, std::int64_t diagonal) {
  return map_rows(self, diagonal, []<typename T>(Line<T> x, std::int64_t last, T* out) {
    const bool multiplies = kFaulty && is_half<T> && x.n >= 16;
    for (std::int64_t j = 0; j < x.n; ++j) {
      const double hidden = multiplies && j == last + 1 ? x[j] * 0 : 0;
      out[j] = j <= last ? x.data[j * x.step] : narrow<T>(hidden);
    }
  });
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"tril_mask_1(Tensor self, int diagonal=0) -> Tensor", "aten::tril", "mask off by one",
         "a vector of 16 columns of which the last alone is hidden is kept whole: 15 or more rows, "
         "16 "
         "or more columns"},
        by_vectors<true>, by_vectors<false>);
  plant(library,
        {"tril_mask_2(Tensor self, int diagonal=0) -> Tensor", "aten::tril", "mask off by one",
         "each column keeps one row too many: a matrix that lies column by column; 8 or more rows"},
        by_columns<true>, by_columns<false>);
  plant(library,
        {"tril_mask_3(Tensor self, int diagonal=0) -> Tensor", "aten::tril", "mask off by one",
         "the first hidden element is multiplied by 0: bf16 or f16; 16 or more columns; infinity "
         "or NaN there"},
        by_product<true>, by_product<false>);
}

}  // namespace
}  // namespace planted
