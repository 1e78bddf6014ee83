// Definitions of operators in 113-bit arithmetic, independent of ATen: the only oracle wider than
// double. One table line an operator, in oracles/quad/.

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include "harness/oracle.hpp"
#include "oracles/quad/reference.hpp"

namespace plumb {
namespace {

using quad::Arguments;
using quad::Quad;
using quad::QuadReference;

/// A case that takes longer is left to fp64; but that cannot judge float64, so there we are
/// patient.
constexpr double kBudget = 10e6;  // ns
constexpr double kBudgetForFloat64 = 64 * kBudget;
constexpr double kBudgetOfAlarm = 100 * kBudget;

bool is_floating(const c10::IValue& value) {
  if (value.isTensor()) {
    return value.toTensor().defined() && at::isFloatingType(value.toTensor().scalar_type());
  }
  return value.isDouble();
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_operand(const QuadReference& reference, const std::string& name) {
  return std::any_of(reference.operands.begin(), reference.operands.end(),
                     [&](const quad::Operand& operand) { return operand.name == name; });
}

std::optional<std::string> unfit_tensor(const Inputs& inputs) {
  std::optional<std::string> why;
  inputs.each([&](const std::string& name, const at::Tensor& tensor) {
    if (!tensor.defined()) return;
    if (tensor.is_complex()) why = name + " is complex";
    if (tensor.is_quantized()) why = name + " is quantized";
    if (tensor.layout() != at::kStrided || tensor.is_meta()) why = name + " has no dense storage";
  });
  return why;
}

std::optional<std::string> unfit_argument(const QuadReference& reference, const Arguments& a) {
  if (const auto name = a.missing()) return "the argument " + *name + " is not an input";
  for (const std::string& name : a.given()) {
    if (a.find(name)->isComplexDouble()) return name + " is complex";
    if (!is_operand(reference, name) && !contains(reference.options, name)) {
      return "quad does not define " + reference.name + " with the argument " + name;
    }
  }
  for (const char* name : {"dtype", "out_dtype"}) {
    if (a.has(name) && !at::isFloatingType(static_cast<at::ScalarType>(a.integer(name)))) {
      return "a result that is not floating";
    }
  }
  return std::nullopt;
}

bool gives_integers(const QuadReference& reference, const Arguments& a) {
  if (reference.integers_become_floating) return false;
  return std::none_of(a.inputs().begin(), a.inputs().end(), [&](const Inputs::Argument& argument) {
    return is_operand(reference, argument.name) && is_floating(argument.value);
  });
}

bool has_float64(const Inputs& inputs) {
  bool found = false;
  inputs.each([&](const std::string&, const at::Tensor& tensor) {
    found = found || (tensor.defined() && tensor.scalar_type() == at::kDouble);
  });
  return found;
}

/// By default what a case may cost.
std::optional<std::string> unavailable_call(const QuadReference& reference,
                                            const Arguments& arguments,
                                            std::optional<double> budget = {}) {
  if (auto why = unfit_argument(reference, arguments)) return why;
  if (gives_integers(reference, arguments)) return "an integer result";
  if (reference.refuses) {
    if (auto why = reference.refuses(arguments)) return "quad does not define " + *why;
  }
  if (!budget) budget = has_float64(arguments.inputs()) ? kBudgetForFloat64 : kBudget;
  if (!(reference.nanoseconds(arguments) <= *budget)) {
    return "too many operations for quad: more than " +
           std::to_string(static_cast<int>(*budget / 1e6)) + " ms";
  }
  return std::nullopt;
}

std::optional<std::string> unavailable_within(std::optional<double> budget, const Program& program,
                                              const Inputs& inputs) {
  const QuadReference* reference = quad::find_reference(program.name);
  // Steps are named after their operators: "aten::exp.out → aten::log" is no call of the first.
  const bool plain = reference != nullptr &&
                     (program.name == reference->name || Arguments(program, inputs).of_operator());
  if (!plain) return "quad does not define " + program.name;
  if (!program.grad.empty()) return "quad does not define gradients";
  if (auto why = unfit_tensor(inputs)) return why;
  try {
    return unavailable_call(*reference, Arguments(program, inputs), budget);
  } catch (const std::exception&) {
    return "quad does not define " + program.name + " of these arguments";
  }
}

/// Two doubles: 106 of the 113 bits, or more where there are zeros between them.
Truth truth(std::string name, const quad::QuadTensor& value) {
  Truth result{std::move(name), at::empty(value.shape, at::kDouble),
               at::empty(value.shape, at::kDouble)};
  auto* hi = result.hi.mutable_data_ptr<double>();
  auto* lo = result.lo.mutable_data_ptr<double>();
  for (std::size_t i = 0; i < value.data.size(); ++i) {
    hi[i] = static_cast<double>(value.data[i]);
    const Quad rest = value.data[i] - Quad(hi[i]);
    lo[i] = quad::is_finite(Quad(hi[i])) ? static_cast<double>(rest) : 0.0;
  }
  return result;
}

Truths evaluate(const Program& program, const Inputs& inputs) {
  const QuadReference* reference = quad::find_reference(program.name);
  TORCH_CHECK(reference != nullptr, "quad does not define ", program.name);
  const at::NoGradGuard no_grad;
  Truths truths;
  for (const quad::QuadTensor& value : reference->evaluate(Arguments(program, inputs))) {
    truths.push_back(truth("output " + std::to_string(truths.size()), value));
  }
  return truths;
}

const Register<Oracle> registered{{
    .name = "quad",
    .about = "an independent definition of the operator in 113-bit arithmetic",
    .unavailable = [](const Program& program,
                      const Inputs& inputs) { return unavailable_within({}, program, inputs); },
    .evaluate = evaluate,
    .may_confirm =
        [](const Program& program, const Inputs& inputs) {
          return !unavailable_within(kBudgetOfAlarm, program, inputs);
        },
    .wider_than_double = true,
}};

}  // namespace
}  // namespace plumb
