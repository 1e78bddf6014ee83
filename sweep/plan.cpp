#include "sweep/plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <ATen/ATen.h>

#include "harness/arguments.hpp"
#include "harness/program.hpp"
#include "harness/raised.hpp"
#include "harness/tensor_spec.hpp"
#include "harness/text.hpp"
#include "sweep/translate.hpp"

namespace plumb {
namespace {

using Kind = PlannedArgument::Kind;

std::int64_t size_of(std::string_view token, const Sizes& sizes) {
  if (token.size() == 1 && sizes.contains(token.front())) return sizes.at(token.front());
  std::int64_t value = 1;
  std::from_chars(token.data(), token.data() + token.size(), value);
  return value;
}

Json shape_of(const std::string& shape, const Sizes& sizes) {
  Json list = Json::array();
  for (const std::string& token : split(shape, ',')) list.push_back(size_of(token, sizes));
  return list;
}

/// Lists may hold letters: [n] → [64].
Json with_sizes(const Json& value, const Sizes& sizes) {
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& item : value) list.push_back(with_sizes(item, sizes));
    return list;
  }
  const bool is_letter = value.is_string() && value.get_ref<const std::string&>().size() == 1 &&
                         sizes.contains(value.get_ref<const std::string&>().front());
  return is_letter ? Json(sizes.at(value.get_ref<const std::string&>().front())) : value;
}

Json tensor_json(const PlannedArgument& argument, const std::string& shape, const Sizes& sizes,
                 const Json& fill) {
  Json tensor = argument.kind == Kind::floating ? fill : Json::object();
  tensor["shape"] = shape_of(shape, sizes);
  if (argument.kind == Kind::floating) return tensor;
  tensor["fill"] = "integers";
  const bool is_mask = argument.kind == Kind::mask;
  tensor["dtype"] = is_mask ? "bool" : "int64";
  tensor["params"] = {{"low", 0}, {"high", is_mask ? 2 : size_of(argument.high, sizes)}};
  return tensor;
}

// --- from a row of the table: "input=b,n weight=n normalized_shape=[n] index=i:b,n<5 mask=m:b,n"

PlannedArgument argument_from(const std::string& word) {
  const std::size_t equals = word.find('=');
  PlannedArgument argument{.name = word.substr(0, equals)};
  std::string text = word.substr(equals + 1);
  const auto starts_value = [&](char c) {
    return c == '[' || c == '"' || c == '-' || c == '.' || text == "true" || text == "false" ||
           text == "null";
  };
  const bool is_number = text.find_first_not_of("0123456789.e-") == std::string::npos;
  if (!text.empty() && (starts_value(text.front()) || is_number)) {
    std::string quoted;  // letters in lists become strings
    for (const char c : text) {
      const bool letter = text.front() == '[' && c >= 'a' && c <= 'z';
      quoted += letter ? std::string{'"', c, '"'} : std::string{c};
    }
    argument.value = Json::parse(quoted);
    return argument;
  }
  argument.kind = Kind::floating;
  if (text.starts_with("i:")) argument.kind = Kind::integers;
  if (text.starts_with("m:")) argument.kind = Kind::mask;
  if (text.starts_with("j:")) argument.kind = Kind::integers;
  argument.is_list = text.starts_with("t:") || text.starts_with("j:");
  if (text.size() > 1 && text[1] == ':') text = text.substr(2);
  if (const std::size_t less = text.find('<'); less != std::string::npos) {
    argument.high = text.substr(less + 1);
    text = text.substr(0, less);
  }
  argument.shapes = text == "()" ? std::vector<std::string>{""} : split(text, '|');
  return argument;
}

Plan plan_from_row(std::string_view row) {
  Plan plan;
  for (const std::string& word : split(row, ' ')) plan.arguments.push_back(argument_from(word));
  return plan;
}

// --- from the schema alone

/// Values of arguments without default, by name and, failing that, by type.
struct Usual {
  std::string_view name;
  std::string_view value;
};

constexpr std::array kUsual = {
    Usual{"dim", "-1"},
    Usual{"axis", "-1"},
    Usual{"dim0", "0"},
    Usual{"dim1", "1"},
    Usual{"eps", "1e-5"},
    Usual{"p", "2"},
    Usual{"ord", "2"},
    Usual{"alpha", "1"},
    Usual{"beta", "1"},
    Usual{"dims", "[0]"},
    Usual{"steps", "5"},
    Usual{"norm_type", "2"},
    Usual{"exponent", "2.5"},
    Usual{"reduction", "1"},
    Usual{"train", "false"},
    Usual{"training", "true"},
    Usual{"repeats", "2"},
    Usual{"shifts", "[1]"},
    Usual{"pad", "[1,1]"},
    Usual{"padding", "[0]"},
    Usual{"stride", "[1]"},
    Usual{"dilation", "[1]"},
    Usual{"kernel_size", "[2]"},
    Usual{"output_size", "[2]"},
    Usual{"reduce", "\"sum\""},
    Usual{"indexing", "\"ij\""},
    Usual{"rounding_mode", "\"floor\""},
    Usual{"normalized_shape", "[\"n\"]"},
    Usual{"maxnorm", "1"},
    Usual{"lambd", "0.5"},
};

std::optional<Json> value_by_type(const c10::TypePtr& type) {
  switch (type->kind()) {
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: return 1;
    case c10::TypeKind::FloatType:
    case c10::TypeKind::NumberType: return 0.5;
    case c10::TypeKind::BoolType: return false;
    case c10::TypeKind::OptionalType: return nullptr;
    default: return std::nullopt;
  }
}

/// A list of one value is repeated as often as the schema asks: int[2].
Json fitted(Json value, const c10::Argument& argument) {
  if (value.is_array() && value.size() == 1 && argument.N()) {
    while (value.size() < static_cast<std::size_t>(*argument.N())) value.push_back(value.front());
  }
  return value;
}

std::optional<Json> value_of(const c10::Argument& argument) {
  for (const Usual& usual : kUsual) {
    if (usual.name == argument.name()) return fitted(Json::parse(usual.value), argument);
  }
  return value_by_type(argument.type());
}

Kind kind_of_tensor(const std::string& name) {
  const auto among = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (among({"index", "indices", "target", "targets", "offsets", "lengths"})) return Kind::integers;
  return among({"mask", "condition"}) ? Kind::mask : Kind::floating;
}

/// Every tensor in one shape; empty where some argument cannot be made. Where numbers are refused,
/// integers may do.
std::optional<Plan> guess(const c10::FunctionSchema& schema, const std::string& shape,
                          bool of_integers) {
  Plan plan;
  for (const c10::Argument& argument : schema.arguments()) {
    const bool is_tensor = argument.type()->kind() == c10::TypeKind::TensorType;
    const bool is_list = *argument.type() == *c10::ListType::ofTensors();
    if (is_tensor || is_list) {
      plan.arguments.push_back(
          {.name = argument.name(),
           .kind = of_integers ? Kind::integers : kind_of_tensor(argument.name()),
           .shapes = is_list ? std::vector{shape, shape} : std::vector{shape},
           .is_list = is_list,
           .high = of_integers ? "c" : "1"});
    } else if (!argument.default_value()) {
      const auto value = value_of(argument);
      if (!value) return std::nullopt;
      plan.arguments.push_back({.name = argument.name(), .value = *value});
    }
  }
  return plan;
}

/// Runs the operator, and its reference in float64, on small numbers; the reason why not where one
/// raises or the operator gives no numbers.
std::string trial_in(const std::string& dtype, const Planned& planned, const Plan& plan) {
  try {
    const Json args = arguments_of(plan, sizes_with(4), [&](const std::string&) {
      return Json{{"dtype", dtype}, {"fill", "uniform"}, {"params", {{"low", 0.1}, {"high", 0.9}}}};
    });
    const TensorReader read = [](const Json& json,
                                 const std::string& name) -> std::optional<at::Tensor> {
      if (!json.is_object()) return std::nullopt;
      return tensor_from_json(json, name, {}, name);
    };
    const Inputs inputs = arguments_from_json(planned.op, args, read, "args");
    const Outputs outputs = execute(operator_program(planned.op), inputs);
    if (const ReferenceProgram* reference = planned.reference) {
      execute(reference->program, reference->inputs(cast(inputs, at::kDouble)), at::kDouble);
    }
    for (const Output& output : outputs) {
      if (output.tensor.defined() && output.tensor.numel() > 0) return "";
    }
    return "no output has an element";
  } catch (const std::exception& error) {
    return message_of(error);
  }
}

/// The same in float64 or, for an operator of one's own without a kernel for that, in the type it
/// is planned for. (Torch's own have one, or crash.)
std::string trial_of(const Planned& planned, const Plan& plan) {
  const std::string why = trial_in("float64", planned, plan);
  const bool is_own = !planned.op.schema().name().starts_with("aten::");
  if (why.empty() || !is_own || planned.dtype == "float64") return why;
  return trial_in(planned.dtype, planned, plan).empty() ? "" : why;
}

std::vector<Plan> guesses(const Planned& planned, bool of_integers, std::string& why_not) {
  const c10::FunctionSchema& schema =
      planned.reference != nullptr ? *planned.reference->schema : planned.op.schema();
  why_not = "an argument without default that the schema does not explain";
  std::vector<Plan> plans;
  for (const char* shape : {"n", "r,n", "n,n", "b,n,n", "b,r,n", "b,c,h,n", "b,c,r,h,n", ""}) {
    const auto guessed = guess(schema, shape, of_integers);
    const auto plan = guessed ? translated(*guessed, planned) : std::nullopt;
    if (!plan) break;
    const std::string why = trial_of(planned, *plan);
    if (why.empty()) plans.push_back(*plan);
    if (!why.empty() && plans.empty()) why_not = why;
    const bool may_have_another = plans.size() == 1 && std::string_view(shape) == "n";
    if (!plans.empty() && !may_have_another) break;
  }
  return plans;
}

}  // namespace

std::vector<std::string> Plan::floating() const {
  std::vector<std::string> names;
  for (const PlannedArgument& argument : arguments) {
    if (argument.kind == Kind::floating && !argument.is_list) names.push_back(argument.name);
  }
  return names;
}

Sizes sizes_with(std::int64_t n) {
  return {{'n', n}, {'b', 2}, {'r', 3}, {'c', 4}, {'d', 8}, {'h', 6}, {'w', 7}, {'m', 5}, {'o', 3}};
}

Json arguments_of(const Plan& plan, const Sizes& sizes,
                  const std::function<Json(const std::string& name)>& fill) {
  Json args = Json::object();
  for (const PlannedArgument& argument : plan.arguments) {
    if (argument.kind == Kind::value && argument.shapes.empty()) {
      args[argument.name] = with_sizes(argument.value, sizes);
    } else if (!argument.is_list) {
      args[argument.name] =
          tensor_json(argument, argument.shapes.front(), sizes, fill(argument.name));
    } else {
      Json list = Json::array();
      for (const std::string& shape : argument.shapes) {
        list.push_back(tensor_json(argument, shape, sizes, fill(argument.name)));
      }
      args[argument.name] = std::move(list);
    }
  }
  return args;
}

std::vector<Plan> plans_for(const Planned& planned, std::string& why_not) {
  const std::string& name =
      planned.reference != nullptr ? planned.reference->schema->name() : planned.op.schema().name();
  if (const std::string_view row = row_of_shapes(name); !row.empty()) {
    const auto plan = translated(plan_from_row(row), planned);
    why_not = plan ? trial_of(planned, *plan) : "an argument that its reference does not explain";
    return why_not.empty() ? std::vector{*plan} : std::vector<Plan>{};
  }
  std::vector<Plan> plans = guesses(planned, /*of_integers=*/false, why_not);
  std::string ignored;
  return plans.empty() ? guesses(planned, /*of_integers=*/true, ignored) : plans;
}

}  // namespace plumb
