#include "findings/call_text.hpp"

#include <vector>

#include "findings/draft.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostShown = 8;

std::string list_text(const Json& list) {
  std::string text = "[";
  for (const Json& item : list) {
    text += text.size() > 1 ? ", " : "";
    text += item.is_array()    ? list_text(item)
            : item.is_string() ? item.get<std::string>()
                               : item.dump();
  }
  return text + "]";
}

std::string tensor_text(const Json& spec, const std::string& case_dtype) {
  const TensorDraft draft = draft_of(spec);
  if (draft.is_inline && draft.values.size() <= kMostShown) {
    const Json& data = spec["data"];
    if (data.is_array()) return list_text(data);
    return data.is_string() ? data.get<std::string>() : data.dump();
  }
  std::string text = spec.value("dtype", case_dtype) + "[";
  for (std::size_t d = 0; d < draft.shape.size(); ++d) {
    text += (d > 0 ? "," : "") + std::to_string(draft.shape[d]);
  }
  return text + "]";
}

std::string argument_text(const Json& value, const std::string& case_dtype) {
  if (value.is_object()) return tensor_text(value, case_dtype);
  if (value.is_null()) return "None";
  if (!value.is_array()) return value.dump();
  const bool holds_tensors = !value.empty() && value[0].is_object();
  if (!holds_tensors) return list_text(value);
  std::vector<std::string> items;
  for (const Json& item : value) items.push_back(argument_text(item, case_dtype));
  return "[" + joined(items, ", ") + "]";
}

std::string one_call(const Json& call, const std::string& case_dtype) {
  const std::string op = call["op"];
  const auto colons = op.find("::");
  std::vector<std::string> arguments;
  const Json args = call.value("args", Json::object());
  for (const auto& [name, value] : args.items()) {
    const bool plain = arguments.empty() && value.is_object();
    arguments.push_back((plain ? "" : name + "=") + argument_text(value, case_dtype));
  }
  return (op.starts_with("aten::") ? op.substr(colons + 2) : op) + "(" + joined(arguments, ", ") +
         ")";
}

}  // namespace

std::string call_text(const Json& stored) {
  const std::string dtype = stored.value("dtype", "float32");
  std::vector<std::string> calls;
  if (stored.contains("steps")) {
    for (const Json& step : stored["steps"]) calls.push_back(one_call(step, dtype));
  } else {
    calls.push_back(one_call(stored, dtype));
  }
  std::string text = joined(calls, " → ");
  const Json grad = stored.value("grad", Json::array());
  if (grad.is_string()) text += "; gradient of " + grad.get<std::string>();
  if (grad.is_array() && !grad.empty()) {
    text += "; gradient of " + joined(grad.get<std::vector<std::string>>(), ", ");
  }
  return text;
}

}  // namespace plumb
