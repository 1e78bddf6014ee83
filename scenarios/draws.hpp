#pragma once

#include <cstdint>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

namespace plumb {

/// Random tensors of one seed. They are drawn in float64 on the CPU, then moved, so that every
/// device and dtype sees the same numbers.
class Draws {
 public:
  Draws(std::uint64_t seed, at::TensorOptions options)
      : generator_(at::detail::createCPUGenerator(seed)), options_(options) {}

  at::Tensor normal(at::IntArrayRef shape) {
    return at::randn(shape, generator_, at::kDouble).to(options_);
  }
  at::Tensor uniform(at::IntArrayRef shape) {
    return at::rand(shape, generator_, at::kDouble).to(options_);
  }
  /// int64 values in [low, high).
  at::Tensor integers(std::int64_t low, std::int64_t high, at::IntArrayRef shape) {
    return at::randint(low, high, shape, generator_, at::kLong).to(options_.device());
  }

 private:
  at::Generator generator_;
  at::TensorOptions options_;
};

}  // namespace plumb
