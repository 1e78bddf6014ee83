// Weights and activations in float8_e4m3fn, with one scale for each or one for each row:
// aten::_scaled_mm.

#include <ATen/TensorOperators.h>
#include <ATen/ops/_scaled_mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>

#include "harness/quantised.hpp"
#include "harness/trace.hpp"
#include "harness/variant_sketch.hpp"

namespace plumb {
namespace {

constexpr double kGreatest = 448;  // of float8_e4m3fn

struct Eights {
  at::Tensor values;  // float8_e4m3fn, [rows,k]
  at::Tensor scale;   // float32, [1,1] or [rows,1]

  Rounding rounding(const at::Tensor& of) const {
    const at::Tensor scale_there = scale.to(at::kDouble);
    const at::Tensor wide = values.to(at::kDouble);
    // Four bits of mantissa; the subnormals lie 2^-9 apart.
    const at::Tensor exponent = wide.abs().clamp_min(0x1p-6).log2().floor();
    return {of.to(at::kDouble), wide * scale_there, (exponent - 3).exp2() * scale_there};
  }
};

Eights eights_of(const at::Tensor& matrix, bool by_row) {
  const TracePause pause;
  const at::Tensor wide = matrix.to(at::kFloat);
  at::Tensor scale =
      (by_row ? wide.abs().amax(1, true) : wide.abs().max().view({1, 1})) / kGreatest;
  scale = at::where(scale.eq(0), at::ones_like(scale), scale);
  return {(wide / scale).to(at::kFloat8_e4m3fn), scale};
}

QuantisedProduct multiply(bool by_row, const at::Tensor& x, const at::Tensor& weight) {
  const Eights activation = eights_of(x, by_row);
  const Eights constant = eights_of(weight, by_row);
  const at::Tensor y =
      at::_scaled_mm(activation.values, constant.values.t(), activation.scale,
                     constant.scale.t().contiguous(), std::nullopt, std::nullopt, x.scalar_type());
  return {y, [=] { return activation.rounding(x); }, [=] { return constant.rounding(weight); }};
}

/// Found out once: torch 2.11 has no kernel for the CPU that takes a scale a row.
std::optional<std::string> unavailable(bool by_row) {
  static const auto is_refused = [](bool rows) {
    const TracePause pause;
    try {
      multiply(rows, at::ones({2, 16}), at::ones({16, 16}));
      return false;
    } catch (const c10::Error&) {
      return true;
    }
  };
  static const bool tensors_refused = is_refused(false);
  static const bool rows_refused = is_refused(true);
  if (!(by_row ? rows_refused : tensors_refused)) return std::nullopt;
  return std::string("this torch multiplies no float8 on this CPU with one scale for each ") +
         (by_row ? "row" : "tensor");
}

/// cuBLASLt's demand; the kernels for the CPU take any.
std::optional<std::string> refuses(const at::Tensor& x, const at::Tensor& weight) {
  const std::int64_t rows = weight.size(0);
  const std::int64_t columns = weight.size(1);
  if (x.is_cpu() || (rows % 16 == 0 && columns % 16 == 0)) return std::nullopt;
  return "fp8 takes rows and columns in multiples of 16 on CUDA, not " + std::to_string(rows) +
         "x" + std::to_string(columns);
}

QuantisedKernel kernel(const std::string& name, bool by_row, const std::string& scales) {
  return {.name = name,
          .about = "linear layers in float8_e4m3fn, " + scales,
          .unavailable = [by_row] { return unavailable(by_row); },
          .runs_on_cuda = true,
          .refuses = refuses,
          .multiply = [by_row](const at::Tensor& x, const at::Tensor& weight,
                               const at::Tensor&) { return multiply(by_row, x, weight); },
          .sequential = true};
}

VariantSketch sketch(const std::string& name, const std::string& greatest) {
  return {.name = name, .product = [greatest] {
            return R"(
def eights_of(matrix):
    wide = matrix.float()
    scale = )" + greatest +
                   R"( / 448
    scale = torch.where(scale == 0, torch.ones_like(scale), scale)
    return (wide / scale).to(torch.float8_e4m3fn), scale


def product(x, weight, bias):
    a, scale_a = eights_of(x)
    b, scale_b = eights_of(weight)
    return torch._scaled_mm(a, b.t(), scale_a, scale_b.t().contiguous(), out_dtype=x.dtype)
)";
          }};
}

const Register<VariantSketch> whole_sketch{sketch("fp8", "wide.abs().max().view(1, 1)")};
const Register<VariantSketch> rows_sketch{sketch("fp8-row", "wide.abs().amax(1, True)")};
const Register<Variant> whole{quantised_variant(kernel("fp8", false, "one scale for a tensor"))};
const Register<Variant> rows{quantised_variant(kernel("fp8-row", true, "one scale for a row"))};

}  // namespace
}  // namespace plumb
