#include "findings/repro.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include <torch/version.h>

#include "findings/draft.hpp"
#include "findings/literal.hpp"
#include "harness/arguments.hpp"
#include "harness/dtype.hpp"

namespace plumb {
namespace {

/// A name that neither Python nor C++ keeps to itself.
std::string variable_name(const std::string& argument) {
  static constexpr std::array kTaken = {"lambda", "from",  "in",    "is",    "out",   "int",
                                        "float",  "torch", "got",   "right", "bool",  "class",
                                        "value",  "wrong", "stack", "bound", "roots", "double"};
  std::string name;
  for (const char c : argument) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (fine) name += c;
    if (!fine && c != ']') name += '_';
  }
  const bool taken = std::find(kTaken.begin(), kTaken.end(), name) != kTaken.end();
  return taken ? name + "_" : name;
}

c10::ScalarType dtype_of(const Json& stored, const Json& spec) {
  c10::ScalarType dtype = c10::ScalarType::Float;
  if (spec.contains("dtype")) dtype = *dtype_from(spec["dtype"].get<std::string>());
  if (!stored.contains("dtype")) return dtype;
  return widened(dtype, *dtype_from(stored["dtype"].get<std::string>()));
}

Json negated(const Json& value) {
  if (value.is_array()) return Json::array({negated(value[0]), negated(value[1])});
  return number_to_json(-number_of(value));
}

Json conjugated(const Json& value) { return Json::array({value[0], negated(value[1])}); }

/// Writes the values to where the strides put them; zero between.
std::vector<Json> stored_in(const ReproTensor& tensor, const std::vector<Json>& values) {
  std::int64_t reach = tensor.offset + 1;
  for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
    reach += (tensor.shape[d] - 1) * tensor.strides[d];
  }
  const Json zero = c10::isComplexType(tensor.dtype) ? Json::array({0, 0}) : Json(0);
  std::vector<Json> storage(static_cast<std::size_t>(reach), zero);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::int64_t at = tensor.offset;
    auto rest = static_cast<std::int64_t>(i);
    for (std::size_t d = tensor.shape.size(); d-- > 0;) {
      at += rest % tensor.shape[d] * tensor.strides[d];
      rest /= tensor.shape[d];
    }
    storage[static_cast<std::size_t>(at)] = values[i];
  }
  return storage;
}

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0; stride *= std::max<std::int64_t>(shape[d], 1)) {
    strides[d] = stride;
  }
  return strides;
}

std::optional<ReproTensor> tensor_of(const Json& stored, const Json& spec,
                                     const std::string& variable) {
  const TensorDraft draft = draft_of(spec);
  ReproTensor tensor{.variable = variable, .dtype = dtype_of(stored, spec), .shape = draft.shape};
  std::vector<Json> values = draft.values;
  const bool is_constant = spec.value("fill", "") == "constant";
  if (is_constant) values.push_back(spec.value("params", Json::object()).value("value", Json(1)));
  if (!draft.is_inline && !is_constant) return std::nullopt;
  tensor.constant = is_constant;
  const std::vector<std::string> views = spec.value("view", std::vector<std::string>{});
  tensor.neg = std::find(views.begin(), views.end(), "neg") != views.end();
  tensor.conj = std::find(views.begin(), views.end(), "conj") != views.end();
  for (Json& value : values) {
    if (tensor.neg) value = negated(value);
    if (tensor.conj) value = conjugated(value);
  }
  const bool laid_out = spec.contains("strides") || spec.contains("offset");
  if (laid_out && is_constant) return std::nullopt;
  if (laid_out && !values.empty()) {
    tensor.strides = spec.value("strides", contiguous_strides(draft.shape));
    tensor.offset = spec.value("offset", std::int64_t{0});
    values = stored_in(tensor, values);
  }
  tensor.storage = std::move(values);
  return tensor;
}

/// The arguments with "$variable" for each tensor.
Json linked(const Json& args, const std::string& prefix,
            const std::map<std::string, std::string>& variables) {
  Json result = Json::object();
  for (const auto& [name, value] : args.items()) {
    result[name] = value;
    if (value.is_object()) result[name] = "$" + variables.at(prefix + name);
    if (!value.is_array()) continue;
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (!value[i].is_object()) continue;
      result[name][i] = "$" + variables.at(prefix + name + "/" + std::to_string(i));
    }
  }
  return result;
}

/// References of steps follow their variable's name.
void rename_references(Json& value) {
  if (value.is_array()) {
    for (Json& item : value) rename_references(item);
  }
  if (!value.is_string() || !value.get<std::string>().starts_with("$")) return;
  const std::string key = value.get<std::string>().substr(1);
  const auto dot = key.find('.');
  value =
      "$" + variable_name(key.substr(0, dot)) + (dot == std::string::npos ? "" : key.substr(dot));
}

void add_steps(const Json& stored, const std::map<std::string, std::string>& variables,
               ReproModel& model) {
  for (std::size_t i = 0; i < stored["steps"].size(); ++i) {
    const Json& step = stored["steps"][i];
    const Json original = step.value("args", Json::object());
    Json args = original;
    for (auto& [name, value] : args.items()) rename_references(value);
    args = linked(args, "/steps/" + std::to_string(i) + "/args/", variables);
    model.calls.push_back({resolve_operator(step["op"], original, "repro"), args,
                           variable_name(step.value("out", "step" + std::to_string(i)))});
  }
}

}  // namespace

std::optional<ReproModel> repro_model(const Json& stored) {
  ReproModel model;
  std::map<std::string, std::string> variables;
  const std::vector<std::string> grad = stored.value("grad", std::vector<std::string>{});
  for (const TensorPlace& place : tensor_places(stored)) {
    std::string name = variable_name(place.argument);
    const auto taken = [&](const ReproTensor& tensor) { return tensor.variable == name; };
    while (std::any_of(model.tensors.begin(), model.tensors.end(), taken)) name += "_";
    auto tensor = tensor_of(stored, stored[place.at], name);
    if (!tensor) return std::nullopt;
    tensor->wants_grad = std::find(grad.begin(), grad.end(), place.name) != grad.end();
    variables[place.at.to_string()] = name;
    if (place.name == "cotangent") model.cotangent = name;
    model.tensors.push_back(std::move(*tensor));
  }
  for (const std::string& name : grad) model.grad.push_back(variable_name(name));
  model.grad_names = grad;
  if (stored.contains("steps")) {
    add_steps(stored, variables, model);
  } else {
    const Json args = stored.value("args", Json::object());
    model.calls.push_back(
        {resolve_operator(stored["op"], args, "repro"), linked(args, "/args/", variables), "out"});
  }
  return model;
}

bool returns_one_tensor(const ReproCall& call) {
  const auto& returns = call.op.schema().returns();
  return returns.size() == 1 && returns[0].type()->kind() == c10::TypeKind::TensorType;
}

std::optional<std::size_t> output_index(const std::string& where) {
  constexpr std::string_view kOutput = "output ";
  if (!where.starts_with(kOutput)) return std::nullopt;
  std::size_t index = 0;
  std::from_chars(where.data() + kOutput.size(), where.data() + where.size(), index);
  return index;
}

std::optional<std::size_t> gradient_index(const ReproModel& model, const std::string& where) {
  for (std::size_t i = 0; i < model.grad_names.size(); ++i) {
    if ("grad:" + model.grad_names[i] == where) return i;
  }
  return std::nullopt;
}

std::string repro_title(const Json& stored, const Result& row) {
  std::string text = (stored.contains("op") ? stored["op"].get<std::string>() : row.op) + ", " +
                     row.dtype + ", torch " + TORCH_VERSION + ", " + row.device + ": " +
                     std::string(to_string(row.verdict)) + ". " + row.message;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace plumb
