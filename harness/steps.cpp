#include "harness/steps.hpp"

#include <ATen/ATen.h>
#include <ATen/core/function_schema.h>

#include "harness/errors.hpp"

namespace plumb {
namespace {

using Values = std::map<std::string, at::Tensor, std::less<>>;

[[noreturn]] void no_result(const Step& step, const std::string& argument, const std::string& key) {
  throw InputError(step.where + ".args." + argument + ": there is no result '" + key + "'");
}

c10::IValue linked_value(const Step& step, const std::string& argument, const Inputs& inputs,
                         const Values& values) {
  std::vector<at::Tensor> tensors;
  for (const auto& [name, key] : step.linked) {
    if (name != argument) continue;
    const auto found = values.find(key);
    if (found == values.end() && inputs.find(key) == nullptr) no_result(step, argument, key);
    tensors.push_back(found != values.end() ? found->second : inputs[key]);
  }
  const c10::IValue* fixed = step.fixed.find(argument);
  if (fixed != nullptr && fixed->isTensorList()) return tensors;
  if (fixed != nullptr && fixed->isList()) {
    c10::List<std::optional<at::Tensor>> list;
    std::size_t next = 0;
    for (const c10::IValue& item : fixed->toList()) {
      if (item.isNone()) {
        list.push_back(std::nullopt);
      } else {
        list.push_back(tensors.at(next++));
      }
    }
    return list;
  }
  return tensors.at(0);
}

}  // namespace

Program program_of_steps(std::vector<Step> steps, const std::string& title) {
  Traits traits{.promise = Promise::composite, .why = "a program of several steps"};
  if (steps.size() == 1) traits = steps.front().program.traits;
  for (const Step& step : steps) traits.random |= step.program.traits.random;
  return {.name = title,
          .forward =
              [steps = std::move(steps)](const Inputs& inputs, Widening widening) {
                Values values;
                Outputs outputs;
                for (const Step& step : steps) {
                  Inputs args = step.fixed;
                  for (const auto& [name, key] : step.linked) {
                    args.set(name, linked_value(step, name, inputs, values));
                  }
                  outputs = step.program.forward(args, widening);
                  for (std::size_t i = 0; i < outputs.size(); ++i) {
                    values.insert_or_assign(i == 0 ? step.out : step.out + "." + std::to_string(i),
                                            outputs[i].tensor);
                  }
                }
                return outputs;
              },
          .traits = std::move(traits),
          .grad = {},
          .cotangent = {}};
}

void check_reference(const std::string& key, const KnownResults& known, const std::string& where) {
  if (known.contains(key)) return;
  const std::size_t dot = key.rfind('.');
  const auto step = known.find(key.substr(0, dot));
  if (dot == std::string::npos || step == known.end()) {
    std::vector<std::string> names;
    for (const auto& [name, count] : known) names.push_back(name);
    throw InputError(where + ": there is no input or earlier result '" + key + "'" +
                     suggestion(key, names));
  }
  const std::string digits = key.substr(dot + 1);
  const bool is_index = !digits.empty() && digits.size() < 6 && digits.front() != '0' &&
                        digits.find_first_not_of("0123456789") == std::string::npos;
  if (is_index && (!step->second || std::stoul(digits) < *step->second)) return;
  const std::string count = step->second ? std::to_string(*step->second) : "several";
  throw InputError(where + ": there is no result '" + key + "'; '" + step->first + "' has " +
                   count + " of them: $" + step->first + ", then $" + step->first + ".1 …");
}

std::optional<std::size_t> result_count(const c10::FunctionSchema& schema) {
  std::size_t count = 0;
  std::size_t aliases = 0;
  const auto is_written = [](const c10::Argument& argument) {
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  };
  for (const c10::Argument& result : schema.returns()) {
    if (result.type()->kind() == c10::TypeKind::ListType) return std::nullopt;
    if (is_written(result)) ++aliases;
    ++count;
  }
  for (const c10::Argument& argument : schema.arguments()) {
    if (!is_written(argument)) continue;
    if (aliases == 0) ++count;
    if (aliases > 0) --aliases;
  }
  return count;
}

}  // namespace plumb
