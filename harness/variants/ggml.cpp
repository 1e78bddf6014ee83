// Weights in the block formats of ggml, multiplied by ggml itself. It rounds the activations too,
// to the type its kernel multiplies: these are the values the product is held against.

#include <ATen/ATen.h>

#include "harness/plugin.hpp"
#include "harness/quantised.hpp"
#include "harness/trace.hpp"
#include "harness/variants/ggml/formats.hpp"
#include "harness/variants/ggml/kernels.hpp"

namespace plumb {
namespace {

struct Library {
  const GgmlKernels* kernels = nullptr;
  std::optional<std::string> why;  // there are none
};

Library load(const char* name) {
  const Plugin plugin = load_plugin(name, "plumb_ggml_kernels");
  if (plugin.symbol == nullptr) return {nullptr, plugin.why};
  const GgmlKernels* kernels = reinterpret_cast<decltype(&plumb_ggml_kernels)>(plugin.symbol)();
  if (const char* missing = kernels->missing_instructions()) {
    return {nullptr, std::string("this CPU has no ") + missing};
  }
  return {kernels, std::nullopt};
}

constexpr const char* kPackaged = "plumb_ggml";
constexpr const char* kNative = "plumb_ggml_native";
constexpr const char* kEmulated = "plumb_ggml_emulated";

/// Loaded once.
template <const char* const& kName>
const Library& library() {
  static const Library loaded = load(kName);
  return loaded;
}

using Blocks = std::vector<std::byte>;

Rounding rounding_of(std::uint32_t type, const at::Tensor& value, const at::Tensor& decoded) {
  const at::Tensor wide = value.to(at::kDouble);
  return {wide, decoded, ggml::step_of(type, wide)};
}

Rounding activation_of(const GgmlKernels& kernels, std::uint32_t type, const at::Tensor& x) {
  Blocks blocks(kernels.bytes(type, x.size(0), x.size(1)));
  kernels.round_activations(type, x.const_data_ptr<float>(), x.size(0), x.size(1), blocks.data());
  return rounding_of(type, x, ggml::decoded(type, blocks.data(), x.size(0), x.size(1)).value);
}

QuantisedProduct multiply(const GgmlKernels& kernels, std::uint32_t type, const at::Tensor& x,
                          const at::Tensor& weight) {
  const at::Tensor activation = x.to(at::kFloat);
  const at::Tensor given = weight.to(at::kFloat);
  const std::int64_t n = given.size(0);
  const std::int64_t columns = given.size(1);
  Blocks blocks(kernels.bytes(type, n, columns));
  kernels.quantise(type, given.const_data_ptr<float>(), n, columns, blocks.data());
  const at::Tensor y = at::empty({activation.size(0), n}, at::kFloat);
  kernels.multiply(type, blocks.data(), n, columns, activation.const_data_ptr<float>(),
                   activation.size(0), y.mutable_data_ptr<float>());
  const auto decoded = [type, blocks = std::move(blocks), n, columns] {
    return ggml::decoded(type, blocks.data(), n, columns);
  };
  const std::uint32_t activation_type = kernels.activation_type(type);
  QuantisedProduct product{
      .y = y.to(x.scalar_type()),
      .activation = [kernels = &kernels, activation_type,
                     activation] { return activation_of(*kernels, activation_type, activation); },
      .weight = [type, given, decoded] { return rounding_of(type, given, decoded().value); }};
  if (ggml::is_stored_in_parts(type)) product.weight_terms = [decoded] { return decoded().terms; };
  return product;
}

QuantisedKernel kernel(const std::string& name, std::uint32_t type, const std::string& about,
                       const Library& (*of)() = library<kPackaged>) {
  const std::int64_t block = ggml::block_of(type);
  return {.name = name,
          .about = about,
          .unavailable = [of] { return of().why; },
          .refuses = [name, block](const at::Tensor&,
                                   const at::Tensor& weight) -> std::optional<std::string> {
            if (weight.size(1) % block == 0) return std::nullopt;
            return name + " takes columns in multiples of " + std::to_string(block) + ", not " +
                   std::to_string(weight.size(1));
          },
          .multiply = [type, of](
                          const at::Tensor& x, const at::Tensor& weight,
                          const at::Tensor&) { return multiply(*of().kernels, type, x, weight); }};
}

const Register<Variant> f16{quantised_variant(
    kernel("ggml-f16", 1, "linear layers in ggml, weights and activations in float16"))};
const Register<Variant> q8_0{quantised_variant(
    kernel("ggml-q8_0", 8, "linear layers in ggml, weights in 8 bits by blocks of 32"))};
const Register<Variant> q4_0{quantised_variant(
    kernel("ggml-q4_0", 2, "linear layers in ggml, weights in 4 bits by blocks of 32"))};
const Register<Variant> q4_k{quantised_variant(
    kernel("ggml-q4_k", 12, "linear layers in ggml, weights in 4.5 bits by blocks of 256"))};
const Register<Variant> q6_k{quantised_variant(
    kernel("ggml-q6_k", 14, "linear layers in ggml, weights in 6.6 bits by blocks of 256"))};
const Register<Variant> f16_native{quantised_variant(
    kernel("ggml-f16-native", 1,
           "a ggml known to be wrong: built for AVX512-FP16 it adds f16 products in float16",
           library<kNative>))};
const Register<Variant> f16_emulated{quantised_variant(
    kernel("ggml-f16-native-emulated", 1,
           "the same for a CPU with AVX-512 alone: instructions for float16 are emulated",
           library<kEmulated>))};

}  // namespace
}  // namespace plumb
