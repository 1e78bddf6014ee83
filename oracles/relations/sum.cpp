// A softmax sums to one.

#include <array>

#include "oracles/relations/laws.hpp"

namespace plumb {
namespace {

struct Law {
  std::string_view name;
  bool is_logarithm;
};

constexpr std::array kLaws = {
    Law{"softmax", false},    Law{"_softmax", false},    Law{"special_softmax", false},
    Law{"log_softmax", true}, Law{"_log_softmax", true}, Law{"special_log_softmax", true},
};

const Register<Relation> registered{{
    .name = "sum",
    .about = "probabilities sum to one",
    .again = [](const Asked& asked) -> std::optional<Outputs> {
      const Law* law = law_of(kLaws, asked);
      const c10::IValue* dim = asked.inputs.find("dim");
      if (law == nullptr || !is_forward(asked) || dim == nullptr || !dim->isInt()) {
        return std::nullopt;
      }
      const Output& output = asked.outputs.front();
      const at::Tensor y = output.tensor.to(at::kDouble);
      // Made to sum to one, it must be what it was.
      const at::Tensor again =
          law->is_logarithm ? y - y.logsumexp(dim->toInt(), true) : y / y.sum(dim->toInt(), true);
      return Outputs{{output.name, again.to(output.tensor.scalar_type())}};
    },
    .sketch =
        [](const Asked& asked, std::size_t, const std::vector<std::int64_t>&) {
          const std::string wide = "{first}.to(torch.float64)";
          const std::string dim = std::to_string(asked.inputs.find("dim")->toInt());
          const std::string whole = law_of(kLaws, asked)->is_logarithm
                                        ? " - " + wide + ".logsumexp([" + dim + "], True)"
                                        : " / " + wide + ".sum([" + dim + "], True)";
          return Sketch{.runs = {}, .answer = "(" + wide + whole + ").type_as({first})"};
        },
    .is_law = true,
}};

}  // namespace
}  // namespace plumb
