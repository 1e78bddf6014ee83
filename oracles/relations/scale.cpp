// Inputs times a power of two: nothing is rounded, so the answer is times a power of it as well.

#include <array>
#include <cmath>

#include "harness/dtype.hpp"
#include "harness/text.hpp"
#include "oracles/relations/laws.hpp"

namespace plumb {
namespace {

/// f(2^k x) = 2^(k·degree) f(x) where the arguments of these names are scaled.
struct Law {
  std::string_view name;
  std::string_view arguments;  // by comma
  int degree = 1;
};

constexpr std::array kLaws = {
    Law{"abs", "self"},
    Law{"addbmm", "self,batch1"},
    Law{"addmm", "self,mat1"},
    Law{"addmv", "self,mat"},
    Law{"addr", "self,vec1"},
    Law{"amax", "self"},
    Law{"amin", "self"},
    Law{"atan2", "self,other", 0},
    Law{"avg_pool1d", "self"},
    Law{"avg_pool2d", "self"},
    Law{"baddbmm", "self,batch1"},
    Law{"bmm", "self"},
    Law{"cdist", "x1,x2"},
    Law{"copysign", "self,other"},
    Law{"cross", "self"},
    Law{"cumsum", "self"},
    Law{"diff", "self"},
    Law{"dist", "self,other"},
    Law{"div", "self,other", 0},
    Law{"dot", "self"},
    Law{"fmax", "self,other"},
    Law{"fmin", "self,other"},
    Law{"fmod", "self,other"},
    Law{"frobenius_norm", "self"},
    Law{"hypot", "self,other"},
    Law{"kron", "self"},
    Law{"leaky_relu", "self"},
    Law{"lerp", "self,end"},
    Law{"linalg_matrix_norm", "self"},
    Law{"linalg_norm", "self"},
    Law{"linalg_vector_norm", "self"},
    Law{"matmul", "self"},
    Law{"maximum", "self,other"},
    Law{"mean", "self"},
    Law{"minimum", "self,other"},
    Law{"mm", "self"},
    Law{"mul", "self"},
    Law{"mv", "self"},
    Law{"nansum", "self"},
    Law{"norm", "self"},
    Law{"nuclear_norm", "self"},
    Law{"relu", "self"},
    Law{"remainder", "self,other"},
    Law{"std", "self"},
    Law{"sub", "self,other"},
    Law{"sum", "self"},
    Law{"trace", "self"},
    Law{"trapezoid", "y"},
    Law{"var", "self", 2},
    Law{"vdot", "self"},
};

/// A norm of order zero counts elements.
bool counts(const Asked& asked) {
  for (const char* name : {"p", "ord"}) {
    const c10::IValue* order = asked.inputs.find(name);
    if (order != nullptr && order->isScalar() && order->toScalar().equal(0)) return true;
  }
  return false;
}

/// A power of two: towards the middle of the range by ten binades, so that no scaled number can
/// leave it that was well inside.
double factor_for(const std::vector<at::Tensor>& tensors) {
  double largest = 0;
  for (const at::Tensor& tensor : tensors) {
    const at::Tensor finite = tensor.abs().masked_fill(tensor.isfinite().logical_not(), 0);
    if (finite.numel() > 0) largest = std::max(largest, finite.max().item<double>());
  }
  return std::exp2(largest > 1 ? -10 : 10);
}

bool is_lossless(const at::Tensor& x, const at::Tensor& scaled, double factor) {
  return at::equal((scaled / factor).nan_to_num(0), x.nan_to_num(0)) &&
         at::equal(scaled.isfinite(), x.isfinite());
}

/// Whether the answer can be scaled without loss: all of it stays well inside the normal numbers.
bool fits_scaled(const at::Tensor& y, double factor) {
  const FormatTraits& format = traits(*format_of(y.scalar_type()));
  const at::Tensor scaled = y.to(at::kDouble).abs() * factor;
  const at::Tensor inside =
      scaled.lt(format.max_finite / 4)
          .logical_and(scaled.gt(format.min_normal * 4).logical_or(scaled.eq(0)));
  return inside.logical_or(y.isfinite().logical_not()).all().item<bool>();
}

/// Those of these arguments that are floating tensors.
std::vector<at::Tensor> tensors_of(const Asked& asked, const std::vector<std::string>& names) {
  std::vector<at::Tensor> tensors;
  for (const std::string& name : names) {
    if (const auto tensor = floating(asked.inputs, name)) tensors.push_back(*tensor);
  }
  return tensors;
}

const Register<Relation> registered{{
    .name = "scale",
    .about = "inputs times a power of two give the answer times a power of it",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      const Law* law = law_of(kLaws, asked);
      if (law == nullptr || !is_forward(asked) || counts(asked)) return std::nullopt;
      const auto names = split(law->arguments, ',');
      const std::vector<at::Tensor> tensors = tensors_of(asked, names);
      if (tensors.size() != names.size()) return std::nullopt;
      const double factor = factor_for(tensors);
      const bool fits =
          std::all_of(asked.outputs.begin(), asked.outputs.end(), [&](const Output& output) {
            return output.tensor.is_floating_point() &&
                   fits_scaled(output.tensor, std::pow(factor, law->degree));
          });
      if (!fits) return std::nullopt;
      Inputs inputs = private_copy(asked.inputs);
      for (std::size_t i = 0; i < names.size(); ++i) {
        const at::Tensor scaled = tensors[i] * factor;
        if (!is_lossless(tensors[i], scaled, factor)) return std::nullopt;
        inputs.set(names[i], scaled);
      }
      Outputs again = asked.run(inputs);
      for (Output& output : again) {
        output.tensor = output.tensor * std::pow(factor, -law->degree);
      }
      return again;
    },
    .sketch =
        [](const Asked& asked, std::size_t, const std::vector<std::int64_t>&) {
          const Law& law = *law_of(kLaws, asked);
          const auto names = split(law.arguments, ',');
          const double factor = factor_for(tensors_of(asked, names));
          Sketch sketch{.runs = {{}}, .answer = "{0} * " + shortest(std::pow(factor, -law.degree))};
          for (const std::string& name : names) {
            sketch.runs[0][name] = "{" + name + "} * " + shortest(factor);
          }
          return sketch;
        },
    .is_law = true,
}};

}  // namespace
}  // namespace plumb
