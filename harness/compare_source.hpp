#pragma once

#include <array>
#include <cfenv>
#include <cstddef>

#include "harness/compare_screen.hpp"
#include "harness/compare_tally.hpp"

namespace plumb {

/// Hands out the data of a comparison block by block, widened for the screens.
class Source {
 public:
  Source(const screen::Kernels& kernels, Format format, const void* y, Expected expected,
         const double* sensitivity, std::size_t n);

  /// The block that starts at `first`; valid until the next call.
  screen::Block block(std::size_t first);

 private:
  void widen(std::size_t first, std::size_t size);

  const screen::Kernels& kernels_;
  Format format_;
  const void* y_;
  Expected expected_;
  const double* sensitivity_;
  std::size_t n_;
  alignas(64) std::array<float, screen::kBlock> y32_;
  alignas(64) std::array<double, screen::kBlock> hi_;
};

/// Some elements of one block, copied so that they follow one another.
class Selection {
 public:
  void clear() { size_ = 0; }
  void add(const screen::Block& block, std::size_t i);
  /// The elements selected from `block`.
  screen::Block of(const screen::Block& block) const;

 private:
  std::size_t size_ = 0;
  alignas(64) std::array<float, screen::kBlock> y32_;
  alignas(64) std::array<double, screen::kBlock> y64_;
  alignas(64) std::array<double, screen::kBlock> hi_;
  alignas(64) std::array<double, screen::kBlock> lo_;
  alignas(64) std::array<double, screen::kBlock> sensitivity_;
  std::array<std::size_t, screen::kBlock> indices_;
};

inline Pair pair_at(const screen::Block& block, std::size_t i) {
  return {.y = block.y(i), .hi = block.hi[i], .lo = block.low(i), .spread = block.spread(i)};
}

/// Rounding to nearest, with subnormals, for as long as it lives: the caller may have asked torch
/// to flush them.
class StandardArithmetic {
 public:
  StandardArithmetic();
  ~StandardArithmetic();
  StandardArithmetic(const StandardArithmetic&) = delete;
  StandardArithmetic& operator=(const StandardArithmetic&) = delete;

 private:
  std::fenv_t saved_{};
};

}  // namespace plumb
