#include "harness/compare_source.hpp"

#include <algorithm>
#include <cstdint>

namespace plumb {
namespace {

using Table = std::array<float, 256>;

Table table_of(Format format) {
  Table table{};
  for (std::size_t bits = 0; bits < table.size(); ++bits) {
    const auto pattern = static_cast<std::uint8_t>(bits);
    table[bits] = static_cast<float>(load(format, &pattern, 0));
  }
  return table;
}

const Table& fp8_table(Format format) {
  static const Table e4m3fn = table_of(Format::e4m3fn);
  static const Table e5m2 = table_of(Format::e5m2);
  return format == Format::e4m3fn ? e4m3fn : e5m2;
}

}  // namespace

Source::Source(const screen::Kernels& kernels, Format format, const void* y, Expected expected,
               const double* sensitivity, std::size_t n)
    : kernels_(kernels),
      format_(format),
      y_(y),
      expected_(expected),
      sensitivity_(sensitivity),
      n_(n) {}

void Source::widen(std::size_t first, std::size_t size) {
  if (format_ == Format::f16) {
    kernels_.widen_f16(static_cast<const std::uint16_t*>(y_) + first, y32_.data(), size);
  } else if (format_ == Format::bf16) {
    kernels_.widen_bf16(static_cast<const std::uint16_t*>(y_) + first, y32_.data(), size);
  } else {
    const auto* patterns = static_cast<const std::uint8_t*>(y_) + first;
    const Table& table = fp8_table(format_);
    std::transform(patterns, patterns + size, y32_.begin(),
                   [&table](std::uint8_t pattern) { return table[pattern]; });
  }
}

screen::Block Source::block(std::size_t first) {
  screen::Block block{.first = first, .size = std::min(screen::kBlock, n_ - first)};
  if (format_ == Format::f64) {
    block.y64 = static_cast<const double*>(y_) + first;
  } else if (format_ == Format::f32) {
    block.y32 = static_cast<const float*>(y_) + first;
  } else {
    widen(first, block.size);
    block.y32 = y32_.data();
  }
  if (expected_.hi != nullptr) {
    block.hi = expected_.hi + first;
    if (expected_.lo != nullptr) block.lo = expected_.lo + first;
  } else {
    kernels_.widen_f32(expected_.narrow + first, hi_.data(), block.size);
    block.hi = hi_.data();
  }
  if (sensitivity_ != nullptr) block.sensitivity = sensitivity_ + first;
  return block;
}

void Selection::add(const screen::Block& block, std::size_t i) {
  const auto y = block.y(i);
  y32_[size_] = static_cast<float>(y);
  y64_[size_] = y;
  hi_[size_] = block.hi[i];
  lo_[size_] = block.low(i);
  sensitivity_[size_] = block.spread(i);
  indices_[size_] = block.index(i);
  ++size_;
}

screen::Block Selection::of(const screen::Block& block) const {
  return {.y32 = block.y32 != nullptr ? y32_.data() : nullptr,
          .y64 = block.y64 != nullptr ? y64_.data() : nullptr,
          .hi = hi_.data(),
          .lo = block.lo != nullptr ? lo_.data() : nullptr,
          .sensitivity = block.sensitivity != nullptr ? sensitivity_.data() : nullptr,
          .indices = indices_.data(),
          .size = size_};
}

StandardArithmetic::StandardArithmetic() {
  std::fegetenv(&saved_);
  std::fesetenv(FE_DFL_ENV);
}

StandardArithmetic::~StandardArithmetic() { std::fesetenv(&saved_); }

}  // namespace plumb
