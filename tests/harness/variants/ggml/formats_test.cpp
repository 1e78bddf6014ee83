#include "harness/variants/ggml/formats.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/parts.hpp"
#include "harness/plugin.hpp"
#include "harness/variants/ggml/kernels.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kTypes[] = {1, 2, 8, 12, 14};

using Bytes = std::vector<std::byte>;

TEST(GgmlFormats, Q8_KIsAFloatScaleTimesBytes) {
  Bytes block(292);
  const float scale = -0.1F;
  std::memcpy(block.data(), &scale, sizeof scale);
  block[4] = std::byte{3};
  block[4 + 255] = std::byte{0x81};  // -127
  const at::Tensor value = ggml::decoded(15, block.data(), 1, 256).value;
  EXPECT_EQ(value[0][0].item<double>(), static_cast<double>(scale) * 3);
  EXPECT_EQ(value[0][255].item<double>(), static_cast<double>(scale) * -127);
}

/// d = 1, dmin = 2, scale 5 and minimum 7 for the first 32, q = 3 there: 15 - 14.
TEST(GgmlFormats, Q4_KTellsItsTwoPartsApart) {
  Bytes block(144);
  block[1] = std::byte{0x3c};
  block[3] = std::byte{0x40};
  block[4] = std::byte{5};
  block[8] = std::byte{7};
  block[16] = std::byte{3};
  const ggml::Decoded decoded = ggml::decoded(12, block.data(), 1, 256);
  EXPECT_EQ(decoded.value[0][0].item<double>(), 15 - 14);
  EXPECT_EQ(decoded.terms[0][0].item<double>(), std::sqrt(15.0 * 15 + 14 * 14));
  EXPECT_EQ(decoded.value[0][1].item<double>(), -14);
}

const GgmlKernels* kernels_or_null() {
  static const Plugin plugin = load_plugin("plumb_ggml", "plumb_ggml_kernels");
  if (plugin.symbol == nullptr) return nullptr;
  const auto* kernels = reinterpret_cast<decltype(&plumb_ggml_kernels)>(plugin.symbol)();
  return kernels->missing_instructions() == nullptr ? kernels : nullptr;
}

/// Weights of many kinds, awkward ones too: [rows,512].
std::vector<at::Tensor> weights() {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(5);
  const at::Tensor normal = at::randn({64, 512}, generator);
  const at::Tensor uniform = at::rand({64, 512}, generator);
  at::Tensor outlier = normal.clone();
  outlier.select(1, 17).mul_(1000);
  at::Tensor sparse = at::zeros({64, 512});
  sparse.select(1, 300).fill_(-3);
  at::Tensor uneven = normal.clone();
  uneven.slice(1, 0, 32).mul_(1e-3);
  const at::Tensor ends = at::where(normal.gt(0), 1.0F, -1.0F);
  return {normal,
          normal * 0.05,
          uniform,
          uniform + 10,
          -uniform - 10,
          outlier,
          sparse,
          uneven,
          ends,
          normal * 1e-6,
          normal * 1e4,
          at::zeros({64, 512}),
          at::ones({64, 512}),
          (normal * 3).exp()};
}

TEST(GgmlFormats, AQuantiserLosesNoMoreThanItsStep) {
  const GgmlKernels* kernels = kernels_or_null();
  if (kernels == nullptr) GTEST_SKIP() << "no ggml here";
  for (const std::uint32_t type : kTypes) {
    int kind = 0;
    for (const at::Tensor& weight : weights()) {
      if (type == 1 && weight.max().item<float>() > 65504) continue;
      Bytes blocks(kernels->bytes(type, 64, 512));
      kernels->quantise(type, weight.const_data_ptr<float>(), 64, 512, blocks.data());
      const at::Tensor wide = weight.to(at::kDouble);
      Rounding rounding{wide, ggml::decoded(type, blocks.data(), 64, 512).value,
                        ggml::step_of(type, wide)};
      EXPECT_EQ(broken_rounding(rounding), "") << "type " << type << ", weights " << kind;
      ++kind;
    }
  }
}

/// The step is no claim that everything keeps: neighbouring blocks exchanged break it.
TEST(GgmlFormats, BlocksInTheWrongOrderBreakTheStep) {
  const GgmlKernels* kernels = kernels_or_null();
  if (kernels == nullptr) GTEST_SKIP() << "no ggml here";
  const at::Tensor weight = weights().front().contiguous();
  for (const std::uint32_t type : kTypes) {
    const std::int64_t block = ggml::block_of(type);
    Bytes blocks(kernels->bytes(type, 64, 512));
    kernels->quantise(type, weight.const_data_ptr<float>(), 64, 512, blocks.data());
    const std::size_t size = blocks.size() * static_cast<std::size_t>(block) / (64 * 512);
    std::swap_ranges(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(size),
                     blocks.begin() + static_cast<std::ptrdiff_t>(size));
    const at::Tensor wide = weight.to(at::kDouble);
    const Rounding rounding{wide, ggml::decoded(type, blocks.data(), 64, 512).value,
                            ggml::step_of(type, wide)};
    EXPECT_NE(broken_rounding(rounding), "") << "type " << type;
  }
}

/// Activations are rounded as the kernel rounds them.
TEST(GgmlFormats, ActivationsKeepTheStepOfTheirType) {
  const GgmlKernels* kernels = kernels_or_null();
  if (kernels == nullptr) GTEST_SKIP() << "no ggml here";
  for (const std::uint32_t weights_type : kTypes) {
    const std::uint32_t type = kernels->activation_type(weights_type);
    for (const at::Tensor& x : weights()) {
      if (type == 1 && x.max().item<float>() > 65504) continue;
      Bytes blocks(kernels->bytes(type, 64, 512));
      kernels->round_activations(type, x.const_data_ptr<float>(), 64, 512, blocks.data());
      const at::Tensor wide = x.to(at::kDouble);
      const Rounding rounding{wide, ggml::decoded(type, blocks.data(), 64, 512).value,
                              ggml::step_of(type, wide)};
      EXPECT_EQ(broken_rounding(rounding), "") << "type " << type;
    }
  }
}

}  // namespace
}  // namespace plumb
