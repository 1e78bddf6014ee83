// Every definition against mpmath, and all their overloads and shapes against ATen in double.

#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "oracles/quad/number.hpp"
#include "tests/oracles/quad/call.hpp"

extern "C" plumb::quad::Quad strtoflt128(const char*, char**) noexcept;

namespace plumb {
namespace {

using quad::Quad;

/// |hi + lo - right|/|right|; 0 for equal classes, inf for different ones.
double relative_error(double hi, double lo, const std::string& right) {
  const double rounded = std::strtod(right.c_str(), nullptr);
  if (std::isnan(rounded)) return std::isnan(hi) ? 0 : INFINITY;
  if (std::isinf(rounded)) return hi == rounded ? 0 : INFINITY;
  const Quad wanted = strtoflt128(right.c_str(), nullptr);
  const Quad error = fabsq(Quad(hi) + Quad(lo) - wanted);
  if (error <= Quad(0x1p-1074)) return 0;  // lo cannot be finer
  return static_cast<double>(error / fabsq(wanted));
}

void expect_row(const Json& row) {
  const std::string op = row["op"];
  SCOPED_TRACE(op + " " + row["args"].dump().substr(0, 300));
  const Call made = call(op, row["args"]);
  ASSERT_EQ(quad_oracle().unavailable(made.program, made.inputs), std::nullopt);
  const Truths truths = quad_oracle().evaluate(made.program, made.inputs);
  ASSERT_EQ(truths.size(), row["values"].size());
  for (std::size_t k = 0; k < truths.size(); ++k) {
    const Json& values = row["values"][k];
    ASSERT_EQ(truths[k].hi.numel(), static_cast<std::int64_t>(values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double hi = truths[k].hi.const_data_ptr<double>()[i];
      const double lo = truths[k].lo.const_data_ptr<double>()[i];
      EXPECT_LE(relative_error(hi, lo, values[i]), 0x1p-100)
          << "element " << i << " is " << hi << " + " << lo << ", not " << values[i];
    }
  }
}

// tools/quad_reference.py makes the table.
TEST(QuadTable, AgreesWithMpmathToAHundredBits) {
  std::ifstream file(PLUMB_SOURCE_DIR "/tests/oracles/quad_reference.json");
  const Json table = Json::parse(file);
  ASSERT_GT(table.size(), 450U);
  for (const Json& row : table) expect_row(row);
}

// Overloads, broadcasting, dimensions and options: double is right to some digits on these inputs.
constexpr std::pair<const char*, const char*> kForms[] = {
    {"aten::add.Tensor", R"({"self": {"shape": [3, 1, 2], "fill": "normal"},
        "other": {"shape": [4, 1], "fill": "normal"}, "alpha": 3})"},
    {"aten::add.Scalar", R"({"self": {"shape": [3], "fill": "normal"}, "other": 2})"},
    {"aten::div.Scalar", R"({"self": {"shape": [3], "fill": "normal"}, "other": 2})"},
    {"aten::multiply.Tensor", R"({"self": {"shape": [3], "fill": "normal"},
        "other": {"dtype": "int64", "data": [1, 2, 3]}})"},
    {"aten::exp", R"({"self": {"shape": [2, 0, 3], "fill": "normal"}})"},
    {"aten::exp", R"({"self": {"dtype": "float64", "data": 0.5}})"},
    {"aten::arctan", R"({"self": {"shape": [5], "fill": "normal"}})"},
    {"aten::clamp", R"({"self": {"shape": [9], "fill": "normal"}, "max": 0.5})"},
    {"aten::clamp.Tensor", R"({"self": {"shape": [9], "fill": "normal"},
        "min": {"shape": [9], "fill": "normal"}, "max": null})"},
    {"aten::lerp.Scalar", R"({"self": {"shape": [9], "fill": "normal"},
        "end": {"shape": [9], "fill": "normal"}, "weight": 0.75})"},
    {"aten::where.ScalarOther", R"({"condition": {"dtype": "bool", "data": [true, false]},
        "self": {"shape": [3, 2], "fill": "normal"}, "other": 2.5})"},
    {"aten::mvlgamma", R"({"self": {"dtype": "float64", "data": [2.5, 7.0]}, "p": 3})"},
    {"aten::sum", R"({"self": {"shape": [3, 4], "fill": "normal"}, "dtype": "float64"})"},
    {"aten::sum.dim_IntList", R"({"self": {"shape": [3, 4, 5], "fill": "normal"},
        "dim": [0, -1], "keepdim": true})"},
    {"aten::sum.dim_IntList", R"({"self": {"shape": [3, 4], "fill": "normal"}, "dim": []})"},
    {"aten::mean.dim", R"({"self": {"shape": [3, 4, 5], "fill": "normal"}, "dim": [1]})"},
    {"aten::var_mean", R"({"self": {"shape": [3, 4], "fill": "normal"}, "unbiased": false})"},
    {"aten::logsumexp", R"({"self": {"shape": [3, 4, 5], "fill": "normal"}, "dim": [0, 2]})"},
    {"aten::norm.Scalar", R"({"self": {"shape": [3, 4], "fill": "normal"}})"},
    {"aten::linalg_vector_norm", R"({"self": {"shape": [3, 4], "fill": "normal"}, "ord": "-inf"})"},
    {"aten::linalg_vector_norm", R"({"self": {"shape": [3, 4], "fill": "normal"}, "ord": 0})"},
    {"aten::softmax.int", R"({"self": {"shape": [3, 1, 5], "fill": "normal"}, "dim": 0})"},
    {"aten::cumsum", R"({"self": {"shape": [3, 4, 5], "fill": "normal"}, "dim": 1})"},
    {"aten::layer_norm", R"({"input": {"shape": [3, 4, 5], "fill": "normal"},
        "normalized_shape": [4, 5], "weight": {"shape": [4, 5], "fill": "normal"}})"},
    {"aten::native_group_norm", R"({"input": {"shape": [2, 6, 5], "fill": "normal"},
        "weight": null, "bias": {"shape": [6], "fill": "normal"}, "N": 2, "C": 6, "HxW": 5,
        "group": 2, "eps": 1e-5})"},
    {"aten::batch_norm", R"({"input": {"shape": [7, 3], "fill": "normal"}, "weight": null,
        "bias": null, "running_mean": null, "running_var": null, "training": true,
        "momentum": 0.1, "eps": 1e-5, "cudnn_enabled": false})"},
    {"aten::matmul", R"({"self": {"shape": [2, 1, 3, 4], "fill": "normal"},
        "other": {"shape": [5, 4, 2], "fill": "normal"}})"},
    {"aten::matmul", R"({"self": {"shape": [4], "fill": "normal"},
        "other": {"shape": [5, 4, 2], "fill": "normal"}})"},
    {"aten::matmul", R"({"self": {"shape": [5, 3, 4], "fill": "normal"},
        "other": {"shape": [4], "fill": "normal"}})"},
    {"aten::mm", R"({"self": {"shape": [3, 0], "fill": "normal"},
        "mat2": {"shape": [0, 2], "fill": "normal"}})"},
    {"aten::addmm", R"({"self": {"shape": [5], "fill": "normal"},
        "mat1": {"shape": [3, 4], "fill": "normal"}, "mat2": {"shape": [4, 5], "fill": "normal"}})"},
    {"aten::linear", R"({"input": {"shape": [2, 3, 4], "fill": "normal"},
        "weight": {"shape": [4], "fill": "normal"}})"},
    {"aten::inner", R"({"self": {"shape": [4], "fill": "normal"},
        "other": {"shape": [3, 2, 4], "fill": "normal"}})"},
    {"aten::outer", R"({"self": {"shape": [4], "fill": "normal"},
        "vec2": {"shape": [3], "fill": "normal"}})"},
    {"aten::cdist", R"({"x1": {"shape": [2, 3, 4], "fill": "normal"},
        "x2": {"shape": [5, 4], "fill": "normal"}, "p": 1})"},
    {"aten::cosine_similarity", R"({"x1": {"shape": [3, 1, 4], "fill": "normal"},
        "x2": {"shape": [2, 4], "fill": "normal"}, "dim": -1})"},
    {"aten::cross_entropy_loss", R"({"self": {"shape": [2, 3, 4], "fill": "normal"},
        "target": {"dtype": "int64", "data": [[0, 1, 2, -100], [2, 2, 1, 0]]},
        "weight": {"dtype": "float64", "data": [0.5, 1, 2]}})"},
    {"aten::nll_loss", R"({"self": {"shape": [3], "fill": "normal"},
        "target": {"dtype": "int64", "data": 2}})"},
    {"aten::binary_cross_entropy_with_logits", R"({"self": {"shape": [2, 3], "fill": "normal"},
        "target": {"dtype": "float64", "data": [[0, 1, 0.5], [1, 0, 0.25]]},
        "weight": {"dtype": "float64", "data": [[2], [3]]},
        "pos_weight": {"dtype": "float64", "data": [1, 2, 3]}})"},
    {"aten::scaled_dot_product_attention", R"({"query": {"shape": [2, 3, 5, 4], "fill": "normal"},
        "key": {"shape": [2, 3, 6, 4], "fill": "normal"},
        "value": {"shape": [2, 3, 6, 3], "fill": "normal"}, "scale": 0.3,
        "attn_mask": {"dtype": "bool", "data": [[true, false, true, true, false, true]]}})"},
};

TEST(QuadTable, EveryFormOfACallAgreesWithDouble) {
  const Oracle& fp64 = *Registry<Oracle>::instance().find("fp64");
  for (const auto& [op, args] : kForms) {
    SCOPED_TRACE(std::string(op) + " " + args);
    const Call made = call(op, args);
    ASSERT_EQ(quad_oracle().unavailable(made.program, made.inputs), std::nullopt);
    const Truths right = quad_oracle().evaluate(made.program, made.inputs);
    const Truths close = fp64.evaluate(made.program, made.inputs);
    ASSERT_EQ(right.size(), close.size());
    for (std::size_t k = 0; k < right.size(); ++k) {
      EXPECT_EQ(right[k].name, close[k].name);
      ASSERT_EQ(right[k].hi.sizes(), close[k].hi.sizes());
      EXPECT_TRUE(at::allclose(right[k].hi, close[k].hi, 1e-12, 1e-13))
          << right[k].hi << close[k].hi;
    }
  }
}

// Right values by the definitions of the types: 1+3+4 bits with 240 on top, 1+2+5 with 57344.
TEST(QuadTable, CastsToEightBitsRoundToTheNearest) {
  const auto cast = [](const char* dtype, double value) {
    const Json args{{"self", {{"dtype", "float64"}, {"data", {number_to_json(value)}}}},
                    {"dtype", dtype}};
    const Call made = call("aten::_to_copy", args);
    return quad_oracle().evaluate(made.program, made.inputs).front().hi.item<double>();
  };
  EXPECT_EQ(cast("float8_e4m3fnuz", 9.5), 10);  // between 9 and 10: the even significand
  EXPECT_EQ(cast("float8_e4m3fnuz", 247), 240);
  EXPECT_TRUE(std::isnan(cast("float8_e4m3fnuz", 248)));
  EXPECT_EQ(cast("float8_e4m3fnuz", 0x1.8p-11), 0x1p-10);
  EXPECT_EQ(cast("float8_e4m3fnuz", 0x1p-11), 0);  // half the least subnormal
  EXPECT_FALSE(std::signbit(cast("float8_e4m3fnuz", -0x1p-11)));
  EXPECT_TRUE(std::isnan(cast("float8_e5m2fnuz", INFINITY)));
  EXPECT_EQ(cast("float8_e5m2fnuz", 57344), 57344);
  EXPECT_EQ(cast("float8_e5m2fnuz", -0x1p-17), -0x1p-17);
  EXPECT_EQ(cast("float8_e4m3fn", 464), 448);
  EXPECT_TRUE(std::isnan(cast("float8_e4m3fn", 465)));
  EXPECT_EQ(cast("float8_e5m2", -1e30), -INFINITY);
  EXPECT_EQ(cast("float16", 0.1), 0.1);  // the comparison rounds it
}

}  // namespace
}  // namespace plumb
