#include "findings/repro_again.hpp"

#include <algorithm>
#include <functional>

#include "findings/literal.hpp"
#include "harness/overloads.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

using Lookup = std::function<std::string(const std::string& name)>;

/// What stands in braces is looked up.
std::string filled(const std::string& expression, const Lookup& lookup) {
  std::string text;
  std::size_t from = 0;
  for (auto open = expression.find('{'); open != std::string::npos;
       open = expression.find('{', from)) {
    const auto close = expression.find('}', open);
    text += expression.substr(from, open - from) +
            lookup(expression.substr(open + 1, close - open - 1));
    from = close + 1;
  }
  return text + expression.substr(from);
}

std::string variable_of(const ReproModel& model, const std::string& name) {
  for (const ReproTensor& tensor : model.tensors) {
    if (tensor.name == name) return tensor.variable;
  }
  return name;
}

bool is_argument(const ReproModel& model, const ReproTensor& tensor) {
  return tensor.variable != model.cotangent;
}

/// "compute(-self, other)"
std::string run_text(const ReproModel& model, const Json& run) {
  const auto variable = [&](const std::string& name) { return variable_of(model, name); };
  std::vector<std::string> arguments;
  for (const ReproTensor& tensor : model.tensors) {
    if (!is_argument(model, tensor)) continue;
    const std::string itself = "{" + tensor.name + "}";
    arguments.push_back(filled(run.value(tensor.name, itself), variable));
  }
  return "compute(" + joined(arguments, ", ") + ")";
}

bool is_written(const c10::Argument& argument) {
  return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

bool overlaps(const ReproTensor& tensor) {
  for (std::size_t d = 0; tensor.strided && d < tensor.shape.size(); ++d) {
    if (tensor.strides[d] == 0 && tensor.shape[d] > 1) return true;
  }
  return false;
}

}  // namespace

std::string second_answer(const ReproModel& model, const Json& seen) {
  const Json& sketch = seen["sketch"];
  return filled(sketch["answer"], [&](const std::string& name) {
    if (name == "first") return name;
    return run_text(model, sketch["runs"][static_cast<std::size_t>(std::stoi(name))]);
  });
}

std::string in_cpp(std::string python) {
  static const std::pair<std::string_view, std::string_view> kWords[] = {
      {"torch.float64", "at::kDouble"},
      {"torch.uint8", "at::kByte"},
      {"torch.", "at::"},
      {"float(\"nan\")", "NAN"},
      {"True", "true"},
      {"[", "{"},
      {"]", "}"}};
  for (const auto& [from, to] : kWords) {
    for (auto at = python.find(from); at != std::string::npos; at = python.find(from, at)) {
      python.replace(at, from.size(), to);
    }
  }
  return python;
}

std::optional<WritingCall> writing_call(const ReproModel& model, const Json& seen) {
  const auto op = operator_named(seen["sketch"]["op"]);
  const std::string where = seen["output"];
  const auto index = output_index(where);
  if (!op || !index) return std::nullopt;
  const ReproCall& plain = model.calls.back();
  WritingCall writing{
      .call = {*op, Json::object(), "again"}, .fills = seen["sketch"]["buffers"], .answer = {}};
  std::size_t buffers = 0;
  for (const c10::Argument& argument : op->schema().arguments()) {
    if (plain.args.contains(argument.name())) {
      writing.call.args[argument.name()] = plain.args[argument.name()];
    } else if (is_written(argument)) {
      writing.call.args[argument.name()] = "$buffer" + std::to_string(buffers++);
    }
  }
  writing.answer = "buffer" + std::to_string(*index);
  if (writing.fills.empty()) {
    const std::string first = op->schema().arguments().front().name();
    writing.answer = variable_of(model, first);
    for (const ReproTensor& tensor : model.tensors) {
      if (tensor.name == first) writing.overlaps = overlaps(tensor);
    }
  }
  return writing;
}

std::string compute_arguments(const ReproModel& model, const std::string& before,
                              const std::string& after) {
  std::vector<std::string> words;
  for (const ReproTensor& tensor : model.tensors) {
    if (is_argument(model, tensor)) words.push_back(before + tensor.variable + after);
  }
  return joined(words, ", ");
}

bool writes_arguments(const ReproModel& model) {
  return std::any_of(model.calls.begin(), model.calls.end(),
                     [](const ReproCall& call) { return call.op.schema().is_mutable(); });
}

bool signs_differ(const Json& seen) {
  if (seen["got"].is_array() || seen["got"].is_number_integer()) return false;
  return number_of(seen["got"]) == 0 && number_of(seen["again"]) == 0;
}

}  // namespace plumb
