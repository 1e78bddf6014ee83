#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "harness/inputs.hpp"

namespace plumb {

/// SHA-256 (OpenSSL).
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void update(const void* data, std::size_t bytes);
  std::string hex();  // finishes

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// "sha256:<hex>" over dtype, shape and row-major bytes of all outputs; every NaN counts as the
/// same NaN.
std::string digest(const Outputs& outputs);

/// Whether dtype, shape and all values agree bit for bit; every NaN counts as the same NaN.
bool same_bits(const at::Tensor& a, const at::Tensor& b);

/// First 8 hex digits of the hash of a text: the tail of a result id.
std::string short_hash(const std::string& text);

}  // namespace plumb
