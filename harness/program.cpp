#include "harness/program.hpp"

#include <limits>

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/autograd_not_implemented_fallback.h>

#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/overloads.hpp"

namespace plumb {
namespace {

void append_value(const c10::IValue& value, Outputs& outputs) {
  const auto name = [&] { return "output " + std::to_string(outputs.size()); };
  if (value.isTensor()) {
    outputs.push_back({name(), value.toTensor()});
  } else if (value.isScalar()) {
    outputs.push_back({name(), at::scalar_tensor(value.toScalar())});
  } else if (value.isTensorList()) {
    for (const at::Tensor& item : value.toTensorVector()) outputs.push_back({name(), item});
  } else if (value.isTuple()) {
    for (const c10::IValue& item : value.toTupleRef().elements()) append_value(item, outputs);
  }
}

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

/// Arguments written in place which no return aliases.
void append_written(const c10::FunctionSchema& schema, const Inputs& inputs, Outputs& outputs) {
  for (const c10::Argument& argument : schema.arguments()) {
    const c10::IValue* value = inputs.find(argument.name());
    if (!is_written(argument) || value == nullptr || !value->isTensor()) continue;
    const at::Tensor& tensor = value->toTensor();
    const bool returned = std::any_of(outputs.begin(), outputs.end(), [&](const Output& output) {
      return output.tensor.is_same(tensor);
    });
    if (!returned) outputs.push_back({argument.name(), tensor});
  }
}

/// A floating ScalarType argument asks for that output type; the oracle answers in the wide one. An
/// epsilon left to the type is float's: double judges only what is computed in float.
c10::IValue widened_argument(const c10::Argument& argument, const c10::IValue& value,
                             const Traits& traits, Widening widening) {
  if (widening && value.isNone() && argument.name() == traits.type_epsilon) {
    return static_cast<double>(std::numeric_limits<float>::epsilon());
  }
  const bool is_dtype = argument.name() == "dtype" || argument.name() == "out_dtype";
  if (!widening || traits.casts || !is_dtype || !value.isInt()) return value;
  return static_cast<std::int64_t>(widened(static_cast<c10::ScalarType>(value.toInt()), *widening));
}

/// A leaf that records gradients, with the memory layout of the original.
at::Tensor as_leaf(const at::Tensor& tensor) { return tensor.detach().requires_grad_(true); }

Inputs with_leaves(const Program& program, const Inputs& inputs) {
  return inputs.map([&](const std::string& name, const at::Tensor& tensor) {
    const bool wanted =
        std::find(program.grad.begin(), program.grad.end(), name) != program.grad.end();
    return wanted ? as_leaf(tensor) : tensor;
  });
}

std::string shape_text(const at::Tensor& tensor) {
  std::string text;
  for (const std::int64_t size : tensor.sizes()) {
    text += (text.empty() ? "" : ",") + std::to_string(size);
  }
  return "[" + text + "]";
}

bool differentiable(const at::Tensor& tensor) {
  return tensor.defined() && tensor.requires_grad() &&
         (tensor.is_floating_point() || tensor.is_complex());
}

/// The cotangent of output 0, as that output needs it.
at::Tensor cotangent_for(const at::Tensor& cotangent, const at::Tensor& output) {
  if (!at::is_expandable_to(cotangent.sizes(), output.sizes())) {
    throw InputError("cotangent: expected the shape of output 0, " + shape_text(output) + ", not " +
                     shape_text(cotangent));
  }
  if (cotangent.is_complex() && !output.is_complex()) {
    throw InputError("cotangent: expected real numbers, as output 0 is real");
  }
  return cotangent.to(output.device(), output.scalar_type()).expand_as(output);
}

/// By default an operator without a gradient formula pretends to have one, which gives zero.
void let_what_has_no_gradient_have_none() {
  using torch::autograd::AutogradFallbackMode;
  torch::autograd::setAutogradFallbackMode(AutogradFallbackMode::Nothing);
}

void append_gradients(const Program& program, const Inputs& inputs, Outputs& outputs) {
  torch::autograd::variable_list roots;
  torch::autograd::variable_list cotangents;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const at::Tensor& tensor = outputs[i].tensor;
    if (!differentiable(tensor)) continue;
    if (program.cotangent && i > 0) continue;
    roots.push_back(tensor);
    const at::Tensor cotangent =
        program.cotangent ? cotangent_for(*program.cotangent, tensor) : at::ones_like(tensor);
    cotangents.push_back(program.move_cotangent ? program.move_cotangent(cotangent) : cotangent);
  }
  torch::autograd::variable_list leaves;
  for (const std::string& name : program.grad) leaves.push_back(inputs[name]);
  if (roots.empty()) {
    throw InputError("grad: expected a program with a gradient; " +
                     std::string(program.cotangent ? "output 0" : "no output") + " of " +
                     program.name + (program.cotangent ? " has none" : " has one"));
  }
  const auto gradients = torch::autograd::grad(roots, leaves, cotangents, /*retain_graph=*/false,
                                               /*create_graph=*/false, /*allow_unused=*/true);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    // Undefined or without memory of its own: torch's way to say zero.
    const bool has_values = gradients[i].defined() && !gradients[i]._is_zerotensor();
    outputs.push_back(
        {"grad:" + program.grad[i], has_values ? gradients[i] : at::zeros_like(leaves[i])});
  }
}

}  // namespace

Outputs execute(const Program& program, const Inputs& inputs, Widening widening) {
  if (program.grad.empty()) {
    const at::NoGradGuard no_grad;
    return program.forward(inputs, widening);
  }
  const at::AutoGradMode with_grad(true);
  let_what_has_no_gradient_have_none();
  const Inputs leaves = with_leaves(program, inputs);
  Outputs outputs = program.forward(leaves, widening);
  append_gradients(program, leaves, outputs);
  for (Output& output : outputs) output.tensor = output.tensor.detach();
  return outputs;
}

Program operator_program(const c10::OperatorHandle& op) {
  const std::string full = full_name(op.operator_name());
  Traits traits = traits_of(full);
  return {.name = full,
          .forward =
              [op, traits](const Inputs& inputs, Widening widening) {
                torch::jit::Stack stack;
                for (const c10::Argument& argument : op.schema().arguments()) {
                  const c10::IValue* given = inputs.find(argument.name());
                  const c10::IValue value =
                      given != nullptr ? *given : argument.default_value().value_or(c10::IValue());
                  stack.push_back(widened_argument(argument, value, traits, widening));
                }
                op.callBoxed(stack);
                Outputs outputs;
                for (const c10::IValue& value : stack) append_value(value, outputs);
                append_written(op.schema(), inputs, outputs);
                return outputs;
              },
          .traits = std::move(traits),
          .grad = {},
          .cotangent = {}};
}

Program native_program(std::string name, std::function<at::Tensor(const Inputs&)> function,
                       Traits traits) {
  return {.name = std::move(name),
          .forward =
              [function = std::move(function)](const Inputs& inputs, Widening) {
                return Outputs{{"output 0", function(inputs)}};
              },
          .traits = std::move(traits),
          .grad = {},
          .cotangent = {}};
}

}  // namespace plumb
