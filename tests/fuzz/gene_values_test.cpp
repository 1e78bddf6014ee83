#include "fuzz/gene_values.hpp"

#include <set>

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/tensor_spec.hpp"

namespace plumb {
namespace {

at::Tensor drawn(const GeneValues& values, Format format, std::uint8_t a, std::uint8_t b) {
  Json spec = values.fill(traits(format), a, b);
  spec["shape"] = {4, 16};
  const auto dtype = format == Format::f16 ? at::kHalf : at::kFloat;
  return tensor_from_json(spec, "x", {.folder = {}, .seed = 1, .round_to = dtype}, "test");
}

TEST(GeneValues, AreTensorsForEveryParameter) {
  for (const GeneValues& values : gene_values()) {
    for (const Format format : {Format::f32, Format::f16}) {
      for (const int a : {0, 1, 100, 128, 200, 255}) {
        for (const int b : {0, 7, 128, 255}) {
          const at::Tensor x =
              drawn(values, format, static_cast<std::uint8_t>(a), static_cast<std::uint8_t>(b));
          EXPECT_EQ(x.numel(), 64) << values.name;
          if (values.finite && format == Format::f32) {
            EXPECT_FALSE(x.isnan().any().item<bool>()) << values.name << " " << a << " " << b;
          }
        }
      }
    }
  }
}

/// 0 is the least subnormal of a format and 255 its greatest power, in either order.
TEST(GeneValues, ExponentsSpanWhatTheirParametersSay) {
  const GeneValues* exponents = nullptr;
  for (const GeneValues& values : gene_values()) {
    if (values.name == "exponents") exponents = &values;
  }
  ASSERT_NE(exponents, nullptr);
  const Json whole = {{"min_exponent", -149.0}, {"max_exponent", 127.0}};
  EXPECT_EQ(exponents->fill(traits(Format::f32), 0, 255)["params"], whole);
  EXPECT_EQ(exponents->fill(traits(Format::f32), 255, 0)["params"], whole);
}

TEST(GeneValues, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const GeneValues& values : gene_values()) names.insert(values.name);
  EXPECT_EQ(names.size(), gene_values().size());
}

TEST(GeneValues, BitsMeetEveryClassOfNumbers) {
  const GeneValues* bits = nullptr;
  for (const GeneValues& values : gene_values()) {
    if (values.name == "bits") bits = &values;
  }
  ASSERT_NE(bits, nullptr);
  Json spec = bits->fill(traits(Format::f16), 0, 0);
  spec["shape"] = {20000};
  const at::Tensor x =
      tensor_from_json(spec, "x", {.folder = {}, .seed = 1, .round_to = at::kHalf}, "test");
  EXPECT_TRUE(x.isnan().any().item<bool>());
  EXPECT_TRUE(x.isinf().any().item<bool>());
  EXPECT_TRUE(x.lt(0).any().item<bool>());
  EXPECT_TRUE(x.abs().gt(0).logical_and(x.abs().lt(6e-5)).any().item<bool>());
}

}  // namespace
}  // namespace plumb
