#include "harness/digest.hpp"

#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include <openssl/evp.h>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"

namespace plumb {

struct Sha256::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(evp); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  if (EVP_DigestInit_ex(context_->evp, EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL cannot start SHA-256");
  }
}

Sha256::~Sha256() = default;

void Sha256::update(const void* data, std::size_t bytes) {
  EVP_DigestUpdate(context_->evp, data, bytes);
}

std::string Sha256::hex() {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned int count = 0;
  EVP_DigestFinal_ex(context_->evp, bytes, &count);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (unsigned int i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

namespace {

/// Whether some value of `count`, without its sign, is above infinity: a NaN.
template <typename Bits>
#if defined(__GNUC__) && !defined(__clang__)
[[gnu::optimize("O3")]]
#endif
bool any_nan(const void* data, std::int64_t count, Bits infinity) {
  const auto* bits = static_cast<const Bits*>(data);
  const Bits magnitude = static_cast<Bits>(~Bits{0}) >> 1;
  Bits found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    found |= static_cast<Bits>((bits[i] & magnitude) > infinity ? 1 : 0);
  }
  return found != 0;
}

bool any_nan(const at::Tensor& dense) {
  const void* data = dense.const_data_ptr();
  switch (*format_of(dense.scalar_type())) {
    case Format::f16: return any_nan<std::uint16_t>(data, dense.numel(), 0x7C00);
    case Format::bf16: return any_nan<std::uint16_t>(data, dense.numel(), 0x7F80);
    case Format::f32: return any_nan<std::uint32_t>(data, dense.numel(), 0x7F800000);
    default: return any_nan<std::uint64_t>(data, dense.numel(), 0x7FF0000000000000);
  }
}

/// Dense, with one NaN pattern.
at::Tensor canonical(const at::Tensor& tensor) {
  at::Tensor dense = tensor.detach().resolve_conj().resolve_neg();
  if (dense.is_quantized()) dense = dense.int_repr();
  if (dense.is_complex()) dense = at::view_as_real(dense);
  dense = dense.contiguous();
  if (!format_of(dense.scalar_type())) return dense;
  if (!any_nan(dense)) return dense;
  return dense.masked_fill(dense.isnan(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

std::string digest(const Outputs& outputs) {
  Sha256 hash;
  for (const Output& output : outputs) {
    const std::string dtype = dtype_name(output.tensor.scalar_type());
    hash.update(dtype.c_str(), dtype.size() + 1);
    const auto sizes = output.tensor.sizes().vec();
    hash.update(sizes.data(), sizes.size() * sizeof(sizes[0]));
    const at::Tensor dense = canonical(output.tensor);
    hash.update(dense.const_data_ptr(), dense.nbytes());
  }
  return "sha256:" + hash.hex();
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != b.scalar_type() || a.sizes() != b.sizes()) return false;
  const at::Tensor one = canonical(a);
  const at::Tensor other = canonical(b);
  return std::memcmp(one.const_data_ptr(), other.const_data_ptr(), one.nbytes()) == 0;
}

std::string short_hash(const std::string& text) {
  Sha256 hash;
  hash.update(text.data(), text.size());
  return hash.hex().substr(0, 8);
}

}  // namespace plumb
