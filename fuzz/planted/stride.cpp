// The right numbers, read from the wrong place, or a path that only some places in memory take.

#include "bug.hpp"
#include "lines.hpp"
#include "products.hpp"

namespace planted {
namespace {

/// Contiguous memory is read as one vector.
template <bool kFaulty>
at::Tensor sigmoid(const at::Tensor& self) {
  const at::Tensor x = self.contiguous();
  at::Tensor out = at::empty_like(x);
  for_type(x.scalar_type(), [&]<typename T>() {
    const T* from = kFaulty ? static_cast<const T*>(x.storage().data()) : x.const_data_ptr<T>();
    for (std::int64_t i = 0; i < x.numel(); ++i) {
      out.mutable_data_ptr<T>()[i] = narrow<T>(1 / (1 + std::exp(-wide(from[i]))));
    }
  });
  return out;
}

/// Four columns at a time; what is left over takes a loop that was written for rows.
template <bool kFaulty>
at::Tensor mm(const at::Tensor& self, const at::Tensor& mat2) {
  return product(self, mat2, [&]<typename T>(Matrix<T> a, Matrix<T> b, auto i, auto j, auto k) {
    const std::int64_t columns = mat2.size(1);
    const bool is_transposed = b.row_step == 1 && b.column_step == k && k > 1;
    if (kFaulty && is_transposed && j >= columns - columns % 4) {
      std::swap(b.row_step, b.column_step);
      b.row_step = columns;
    }
    double sum = 0;
    for (std::int64_t l = 0; l < k; ++l) sum += a(i, l) * b(l, j);
    return sum;
  });
}

/// Elements before the first whole vector of 16 bytes.
template <typename T>
std::int64_t peeled(Line<T> x) {
  const auto beyond = reinterpret_cast<std::uintptr_t>(x.data) % 16 / sizeof(T);
  return beyond == 0 ? 0 : static_cast<std::int64_t>(16 / sizeof(T) - beyond);
}

/// Long lines: up to the first whole vector one by one, then the vectors.
template <bool kFaulty>
at::Tensor mean(const at::Tensor& self, std::int64_t dim) {
  return reduce_lines(self, dim, []<typename T>(Line<T> x) {
    const std::int64_t head = x.step == 1 && x.n >= 16 ? peeled(x) : 0;
    double sum = 0;
    for (std::int64_t j = 0; j < head; ++j) {
      sum += x[j];
      if (kFaulty && is_half<T>) sum = stored<T>(sum);  // "a few elements only"
    }
    for (std::int64_t j = head; j < x.n; ++j) sum += x[j];
    return sum / static_cast<double>(x.n);
  });
}

TORCH_LIBRARY_FRAGMENT(planted, library) {
  plant(library,
        {"sigmoid_stride_1(Tensor self) -> Tensor", "aten::sigmoid", "stride/offset",
         "the offset is forgotten: a contiguous tensor that does not begin where its memory does"},
        sigmoid<true>, sigmoid<false>);
  plant(library,
        {"mm_stride_2(Tensor self, Tensor mat2) -> Tensor", "aten::mm", "stride/offset",
         "a transposed mat2 is read row by row: mat2 transposed; its last columns, where 4 does "
         "not divide their number"},
        mm<true>, mm<false>);
  plant(library,
        {"mean_stride_3(Tensor self, int dim) -> Tensor", "aten::mean.dim", "stride/offset",
         "elements before the first whole vector are summed in their type: bf16 or f16; a line of "
         "16 or more that does not begin at 16 bytes; these elements about as large as the whole "
         "sum"},
        mean<true>, mean<false>);
}

}  // namespace
}  // namespace planted
