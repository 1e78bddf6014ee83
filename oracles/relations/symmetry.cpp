// Odd and even functions, and operators of two arguments that may change places.

#include <array>

#include "oracles/relations/laws.hpp"

namespace plumb {
namespace {

enum class Kind { odd, even, commutes };

struct Law {
  std::string_view name;
  Kind kind;
  std::string_view one = "self";
  std::string_view other = "other";
};

constexpr std::array kLaws = {
    Law{"abs", Kind::even},
    Law{"add", Kind::commutes},
    Law{"asin", Kind::odd},
    Law{"asinh", Kind::odd},
    Law{"atan", Kind::odd},
    Law{"atanh", Kind::odd},
    Law{"cdist", Kind::commutes, "x1", "x2"},
    Law{"cos", Kind::even},
    Law{"cosh", Kind::even},
    Law{"cosine_similarity", Kind::commutes, "x1", "x2"},
    Law{"dist", Kind::commutes},
    Law{"dot", Kind::commutes, "self", "tensor"},
    Law{"erf", Kind::odd},
    Law{"erfinv", Kind::odd},
    Law{"fmax", Kind::commutes},
    Law{"fmin", Kind::commutes},
    Law{"hardshrink", Kind::odd},
    Law{"hypot", Kind::commutes},
    Law{"l1_loss", Kind::commutes, "self", "target"},
    Law{"logaddexp", Kind::commutes},
    Law{"logaddexp2", Kind::commutes},
    Law{"maximum", Kind::commutes},
    Law{"minimum", Kind::commutes},
    Law{"mse_loss", Kind::commutes, "self", "target"},
    Law{"mul", Kind::commutes},
    Law{"neg", Kind::odd},
    Law{"round", Kind::odd},
    Law{"sgn", Kind::odd},
    Law{"sign", Kind::odd},
    Law{"sin", Kind::odd},
    Law{"sinc", Kind::even},
    Law{"sinh", Kind::odd},
    Law{"smooth_l1_loss", Kind::commutes, "self", "target"},
    Law{"softshrink", Kind::odd},
    Law{"square", Kind::even},
    Law{"tan", Kind::odd},
    Law{"tanh", Kind::odd},
    Law{"tanhshrink", Kind::odd},
    Law{"trunc", Kind::odd},
};

/// Dist between x and y is a matrix with rows for x: its transpose answers for the other order.
bool transposes(const Law& law) { return law.name == "cdist"; }

const Register<Relation> registered{{
    .name = "symmetry",
    .about = "the operator of the mirrored inputs gives the mirrored answer",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      const Law* law = law_of(kLaws, asked);
      if (law == nullptr || !is_forward(asked) || asked.outputs.size() != 1) return std::nullopt;
      const auto one = floating(asked.inputs, law->one);
      const auto other = floating(asked.inputs, law->other);
      Inputs inputs = private_copy(asked.inputs);
      if (law->kind == Kind::commutes) {
        const c10::IValue* alpha = asked.inputs.find("alpha");
        const bool weighs = alpha != nullptr && !alpha->toScalar().equal(1);
        if (!one || !other || weighs) return std::nullopt;
        inputs.set(std::string(law->one), other->clone());
        inputs.set(std::string(law->other), one->clone());
      } else {
        if (!one) return std::nullopt;
        inputs.set(std::string(law->one), at::neg(*one));
      }
      Outputs again = asked.run(inputs);
      if (law->kind == Kind::odd) again.front().tensor = at::neg(again.front().tensor);
      if (transposes(*law)) again.front().tensor = again.front().tensor.transpose(-1, -2);
      return again;
    },
    .sketch =
        [](const Asked& asked, std::size_t, const std::vector<std::int64_t>&) {
          const Law& law = *law_of(kLaws, asked);
          const std::string one(law.one), other(law.other);
          if (law.kind == Kind::commutes) {
            return Sketch{.runs = {{{one, "{" + other + "}"}, {other, "{" + one + "}"}}},
                          .answer = transposes(law) ? "{0}.transpose(-1, -2)" : "{0}"};
          }
          return Sketch{.runs = {{{one, "-{" + one + "}"}}},
                        .answer = law.kind == Kind::odd ? "-{0}" : "{0}"};
        },
    .is_law = true,
}};

}  // namespace
}  // namespace plumb
