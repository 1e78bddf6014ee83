#include "findings/repro.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <torch/version.h>

#include "findings/draft.hpp"
#include "findings/inline_case.hpp"
#include "findings/literal.hpp"
#include "harness/arguments.hpp"
#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

constexpr std::int64_t kMostWritten = 1000;  // elements: a program that can still be read

std::set<std::string> set_of(std::string_view words) {
  const std::vector<std::string> list = split(words, ' ');
  return {list.begin(), list.end()};
}

/// What C++ keeps to itself, and what the programs call by name.
const std::set<std::string>& other_taken_names() {
  static const std::set<std::string> names = set_of(
      "auto case catch char const default delete do double enum explicit export extern false "
      "friend goto inline long main mutable namespace new nullptr operator private protected "
      "public register requires short signed sizeof static std struct switch template this throw "
      "true typedef typename union unsigned using virtual void volatile xor at c10 NAN INFINITY "
      "abs bool complex float getattr int isinstance list print range str tuple torch sys "
      "out outs got value right first second compute roots cotangents item o again tensors run "
      "product convolution batch dimensions");
  return names;
}

std::string variable_name(const std::string& argument) {
  std::string name;
  for (const char c : argument) {
    const bool fine = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (fine) name += c;
    if (!fine && c != ']') name += '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0)
    name = "x" + name;
  const bool is_taken = is_python_keyword(name) || other_taken_names().contains(name);
  return is_taken ? name + "_" : name;
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
    tensor.strided = true;
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

/// "tensors[1]" in a list; within a step "steps[0].weight".
std::string name_of(const TensorPlace& place) {
  const auto bracket = place.argument.find('[');
  return bracket == std::string::npos ? place.name : place.name + place.argument.substr(bracket);
}

/// Without what only plumb could draw.
Json written_down(const Json& stored) {
  const auto places = tensor_places(stored);
  const bool is_plain = std::all_of(places.begin(), places.end(), [&](const TensorPlace& place) {
    return stored[place.at].contains("data") || stored[place.at].value("fill", "") == "constant";
  });
  if (is_plain || element_count(stored) > kMostWritten) return stored;
  try {
    return inline_case(stored, "");
  } catch (const InputError&) {  // in a file that is not at hand
    return stored;
  }
}

}  // namespace

std::optional<ReproModel> repro_model(const Json& as_stored) {
  const Json stored = written_down(as_stored);
  ReproModel model;
  std::map<std::string, std::string> variables;
  const std::vector<std::string> grad = stored.value("grad", std::vector<std::string>{});
  for (const TensorPlace& place : tensor_places(stored)) {
    std::string name = variable_name(place.argument);
    const auto taken = [&](const ReproTensor& tensor) { return tensor.variable == name; };
    while (std::any_of(model.tensors.begin(), model.tensors.end(), taken)) name += "_";
    auto tensor = tensor_of(stored, stored[place.at], name);
    if (!tensor) return std::nullopt;
    tensor->name = name_of(place);
    tensor->wants_grad = std::find(grad.begin(), grad.end(), place.name) != grad.end();
    variables[place.at.to_string()] = name;
    if (place.name == "cotangent") model.cotangent = name;
    if (tensor->wants_grad) {
      model.grad.push_back(name);
      model.grad_names.push_back(place.name);
    }
    model.tensors.push_back(std::move(*tensor));
  }
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

bool is_python_keyword(const std::string& word) {
  static const std::set<std::string> words = set_of(
      "False None True and as assert async await break class continue def del elif else except "
      "finally for from global if import in is lambda nonlocal not or pass raise return try while "
      "with yield");
  return words.contains(word);
}

bool is_about_two_answers(const Result& row) {
  return row.verdict == Verdict::relation_broken || row.verdict == Verdict::nondeterministic;
}

std::string indented(const std::string& text, std::size_t spaces) {
  std::string result;
  bool starts = true;
  for (const char c : text) {
    if (starts && c != '\n') result.append(spaces, ' ');
    result += c;
    starts = c == '\n';
  }
  return result;
}

std::string repro_title(const Json& stored, const Result& row) {
  std::string text = (stored.contains("op") ? stored["op"].get<std::string>() : row.op) + ", " +
                     row.dtype + ", torch " + TORCH_VERSION + ", " + row.device + ": " +
                     std::string(to_string(row.verdict)) + ". " + row.message;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace plumb
