#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>

#include <ATen/core/Tensor.h>

#include "harness/trace.hpp"

namespace plumb {

/// Weights made ready for a kernel, found again where a run brings the same bits: packing takes
/// longer than a product of few rows. They are compared with a copy, since a program may write to
/// its weights between two runs. Keeps the latest, up to `limit` bytes of weights.
template <typename Packed>
class PackedWeights {
 public:
  explicit PackedWeights(std::size_t limit = std::size_t{64} << 20) : limit_(limit) {}

  /// `bias` may be undefined. What is not dense in memory is packed anew each time.
  Packed of(const at::Tensor& weight, const at::Tensor& bias, const std::function<Packed()>& pack) {
    const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) {
      return has_bits_of(kept.weight, weight) && has_bits_of(kept.bias, bias);
    });
    if (known != kept_.end()) return known->packed;
    const TracePause pause;  // else the path would tell whether it was known
    Packed packed = pack();
    if (is_dense(weight) && is_dense(bias)) keep(weight, bias, packed);
    return packed;
  }

  std::size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    at::Tensor weight, bias;
    Packed packed;
  };

  static bool is_dense(const at::Tensor& tensor) {
    return !tensor.defined() || tensor.is_non_overlapping_and_dense();
  }

  static bool has_bits_of(const at::Tensor& copy, const at::Tensor& tensor) {
    if (!copy.defined() || !tensor.defined()) return copy.defined() == tensor.defined();
    return copy.scalar_type() == tensor.scalar_type() && copy.sizes() == tensor.sizes() &&
           copy.strides() == tensor.strides() &&
           (copy.numel() == 0 ||
            std::memcmp(copy.const_data_ptr(), tensor.const_data_ptr(), tensor.nbytes()) == 0);
  }

  void keep(const at::Tensor& weight, const at::Tensor& bias, const Packed& packed) {
    kept_.push_front({weight.clone(), bias.defined() ? bias.clone() : bias, packed});
    bytes_ += weight.nbytes();
    while (bytes_ > limit_) {
      bytes_ -= kept_.back().weight.nbytes();
      kept_.pop_back();
    }
  }

  std::size_t limit_;
  std::size_t bytes_ = 0;
  std::deque<Kept> kept_;
};

}  // namespace plumb
