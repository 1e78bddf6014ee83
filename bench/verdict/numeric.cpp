#include "bench/verdict/numeric.hpp"

#include <cmath>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "harness/dtype.hpp"
#include "harness/format.hpp"

namespace plumb::bench {

at::Tensor f32(const at::Tensor& tensor) { return tensor.to(at::kFloat); }

at::Tensor stored_in(c10::ScalarType narrow, const at::Tensor& tensor) {
  return tensor.to(narrow).to(at::kFloat);
}

c10::ScalarType coarse(c10::ScalarType dtype) {
  return dtype == at::kFloat ? at::kBFloat16 : dtype;
}

at::Tensor truncated(const at::Tensor& tensor, int bits) {
  const std::int64_t mask = ~((std::int64_t{1} << (24 - bits)) - 1);
  return f32(tensor)
      .contiguous()
      .view(at::kInt)
      .bitwise_and(static_cast<int>(mask))
      .view(at::kFloat);
}

at::Tensor short_of_bits(const at::Tensor& tensor) {
  const int precision = traits(*format_of(tensor.scalar_type())).precision;
  return truncated(tensor, precision == 24 ? 11 : precision - 3);
}

at::Tensor flushed(const at::Tensor& tensor, c10::ScalarType type) {
  const double least = traits(*format_of(type)).min_normal;
  const at::Tensor wide = f32(tensor);
  return wide.masked_fill(wide.to(at::kDouble).abs().lt(least), 0.0);
}

double scale_error(c10::ScalarType dtype) {
  return dtype == at::kFloat ? 0x1p-12 : 8 * unit_roundoff(dtype);
}

void for_blocks(std::int64_t n, std::int64_t size,
                const std::function<void(std::int64_t, std::int64_t)>& visit) {
  for (std::int64_t begin = 0; begin < n; begin += size) {
    visit(begin, std::min(size, n - begin));
  }
}

at::Tensor shuffled(std::int64_t n) {
  return at::randperm(n, at::make_generator<at::CPUGeneratorImpl>(12345), at::kLong);
}

}  // namespace plumb::bench
