// softmax(x + c) = softmax(x), and the same of what else sees differences alone.

#include <array>
#include <cmath>

#include "harness/text.hpp"
#include "oracles/relations/laws.hpp"

namespace plumb {
namespace {

struct Law {
  std::string_view name;
  std::string_view argument;
};

constexpr std::array kLaws = {
    Law{"softmax", "self"},     Law{"_softmax", "self"},     Law{"special_softmax", "self"},
    Law{"log_softmax", "self"}, Law{"_log_softmax", "self"}, Law{"special_log_softmax", "self"},
    Law{"var", "self"},         Law{"std", "self"},          Law{"diff", "self"},
    Law{"cov", "self"},         Law{"pdist", "self"},
};

/// A constant of the size of the largest element that can be added to all without rounding.
std::optional<double> constant_for(const at::Tensor& x) {
  const at::Tensor finite = x.masked_fill(x.isfinite().logical_not(), 0);
  const double largest = finite.abs().max().item<double>();
  if (largest == 0) return 1;
  const double power = std::exp2(std::floor(std::log2(largest)));
  for (const double c : {power, -power, 4 * power, power / 8}) {
    const at::Tensor moved = x + c;
    const at::Tensor back = moved - c;
    if (at::equal(back, x) && at::equal(moved.isfinite(), x.isfinite())) return c;
  }
  return std::nullopt;
}

const Register<Relation> registered{{
    .name = "shift",
    .about = "a constant added to all elements changes nothing",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      const Law* law = law_of(kLaws, asked);
      if (law == nullptr || !asked.program.grad.empty()) return std::nullopt;
      const auto x = floating(asked.inputs, law->argument);
      if (!x || x->numel() == 0) return std::nullopt;
      const auto constant = constant_for(*x);
      if (!constant) return std::nullopt;
      Inputs inputs = private_copy(asked.inputs);
      inputs.set(std::string(law->argument), *x + *constant);
      return asked.run(inputs);
    },
    .sketch =
        [](const Asked& asked, std::size_t, const std::vector<std::int64_t>&) {
          const std::string name(law_of(kLaws, asked)->argument);
          const double constant = *constant_for(*floating(asked.inputs, name));
          return Sketch{.runs = {{{name, "{" + name + "} + " + shortest(constant)}}}};
        },
    .is_law = true,
}};

}  // namespace
}  // namespace plumb
