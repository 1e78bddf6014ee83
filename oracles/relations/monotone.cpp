// A function that never falls gives, in the order of its inputs, outputs that never fall.

#include <array>

#include "oracles/relations/flat_place.hpp"
#include "oracles/relations/laws.hpp"

namespace plumb {
namespace {

struct Law {
  std::string_view name;
  bool falls = false;
};

constexpr std::array kLaws = {
    Law{"acos", true},   Law{"acosh"},         Law{"asin"},        Law{"asinh"},
    Law{"atan"},         Law{"atanh"},         Law{"ceil"},        Law{"erf"},
    Law{"erfc", true},   Law{"erfinv"},        Law{"exp"},         Law{"exp2"},
    Law{"expm1"},        Law{"floor"},         Law{"hardsigmoid"}, Law{"hardtanh"},
    Law{"log"},          Law{"log10"},         Law{"log1p"},       Law{"log2"},
    Law{"log_sigmoid"},  Law{"logit"},         Law{"relu"},        Law{"round"},
    Law{"rsqrt", true},  Law{"selu"},          Law{"sigmoid"},     Law{"sinh"},
    Law{"special_ndtr"}, Law{"special_ndtri"}, Law{"sqrt"},        Law{"tanh"},
    Law{"tanhshrink"},   Law{"trunc"},
};

at::Tensor order_of(const at::Tensor& x, bool falls) {
  return x.flatten().argsort(/*stable=*/true, /*dim=*/0, falls);
}

/// The place of the greatest answer among those that come before `place` in the order.
std::int64_t exceeding(const at::Tensor& order, const at::Tensor& flat, std::int64_t place) {
  const at::Tensor greatest = std::get<1>(flat.index({order}).cummax(0));
  const std::int64_t rank = order.eq(place).nonzero().item<std::int64_t>();
  return order[greatest[rank].item<std::int64_t>()].item<std::int64_t>();
}

const Register<Relation> registered{{
    .name = "monotone",
    .about = "a larger input never gives a smaller answer",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      const Law* law = law_of(kLaws, asked);
      if (law == nullptr || !is_forward(asked)) return std::nullopt;
      const auto x = floating(asked.inputs, "self");
      const Output& output = asked.outputs.front();
      const bool fits = x && x->sizes() == output.tensor.sizes() && x->numel() > 1 &&
                        !output.tensor.isnan().any().item<bool>() && !x->isnan().any().item<bool>();
      if (!fits) return std::nullopt;
      // Each output raised to the largest of those before it must be what it was.
      const at::Tensor order = order_of(*x, law->falls);
      const at::Tensor sorted = output.tensor.flatten().index({order});
      const at::Tensor raised = at::empty_like(sorted);
      raised.index_put_({order}, std::get<0>(sorted.cummax(0)));
      return Outputs{{output.name, raised.reshape(output.tensor.sizes())}};
    },
    .sketch =
        [](const Asked& asked, std::size_t output, const std::vector<std::int64_t>& index) {
          const at::Tensor& y = asked.outputs[output].tensor;
          const at::Tensor order =
              order_of(*floating(asked.inputs, "self"), law_of(kLaws, asked)->falls);
          const auto place = exceeding(order, y.flatten(), flat_place(y.sizes(), index));
          return Sketch{.runs = {},
                        .answer = "{first}.flatten().select(0, " + std::to_string(place) +
                                  ").expand_as({first})"};
        },
    .is_law = true,
}};

}  // namespace
}  // namespace plumb
