// A softmax sums to one.

#include <array>

#include "harness/dtype.hpp"
#include "harness/format.hpp"
#include "harness/text.hpp"
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

/// What rounding each answer once may make of the sum: of probabilities, which sum to one, a
/// roundoff; of their logarithms the mean of their sizes times it. Only what is further off than
/// that is no rounding.
double roundoff_of(const at::Tensor& answer) {
  const auto format = format_of(answer.scalar_type());
  return format ? traits(*format).unit_roundoff : 0;
}

at::Tensor by_law(const Law& law, const at::Tensor& y, std::int64_t dim, double roundoff) {
  if (!law.is_logarithm) {
    const at::Tensor off = y.sum(dim, true) - 1;
    return y / (1 + off * (off.abs() > roundoff));
  }
  const at::Tensor off = y.logsumexp(dim, true);
  const at::Tensor may_be = (y.exp() * y.abs()).nan_to_num(0).sum(dim, true) * roundoff;
  return y - off * (off.abs() > may_be);
}

/// The same in Python.
std::string sketch_by_law(const Law& law, const std::string& dim, double roundoff) {
  const std::string y = "{first}.to(torch.float64)";
  const std::string u = shortest(roundoff);
  if (!law.is_logarithm) {
    const std::string off = "(" + y + ".sum([" + dim + "], True) - 1)";
    return y + " / (1 + " + off + " * (" + off + ".abs() > " + u + "))";
  }
  const std::string off = y + ".logsumexp([" + dim + "], True)";
  const std::string may_be =
      "(" + y + ".exp() * " + y + ".abs()).nan_to_num(0).sum([" + dim + "], True) * " + u;
  return y + " - " + off + " * (" + off + ".abs() > " + may_be + ")";
}

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
      // Made to sum to one, it must be what it was.
      const at::Tensor again =
          by_law(*law, output.tensor.to(at::kDouble), dim->toInt(), roundoff_of(output.tensor));
      return Outputs{{output.name, again.to(output.tensor.scalar_type())}};
    },
    .sketch =
        [](const Asked& asked, std::size_t, const std::vector<std::int64_t>&) {
          const std::string dim = std::to_string(asked.inputs.find("dim")->toInt());
          return Sketch{.runs = {},
                        .answer = "(" +
                                  sketch_by_law(*law_of(kLaws, asked), dim,
                                                roundoff_of(asked.outputs.front().tensor)) +
                                  ").type_as({first})"};
        },
    .is_law = true,
}};

}  // namespace
}  // namespace plumb
