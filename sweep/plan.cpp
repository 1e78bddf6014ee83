#include "sweep/plan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "harness/dtype.hpp"
#include "harness/text.hpp"

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

/// A value in which lists may hold letters ([n] → [64]) and "$dtype" is the dtype of the case.
Json value_of(const Json& value, const Filling& filling, bool in_list = false) {
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& item : value) list.push_back(value_of(item, filling, /*in_list=*/true));
    return list;
  }
  if (!value.is_string()) return value;
  const auto& text = value.get_ref<const std::string&>();
  if (text == "$dtype") return dtype_name(filling.dtype);
  const bool is_letter = in_list && text.size() == 1 && filling.sizes.contains(text.front());
  return is_letter ? Json(filling.sizes.at(text.front())) : value;
}

Json tensor_json(const PlannedArgument& argument, const std::string& shape,
                 const Filling& filling) {
  if (!argument.value.is_null()) {
    return {{"dtype", "int64"}, {"data", value_of(argument.value, filling)}};
  }
  const bool is_number = argument.kind == Kind::floating || argument.kind == Kind::complex;
  Json tensor = is_number ? filling.fill(argument) : Json::object();
  tensor["shape"] = shape_of(shape, filling.sizes);
  if (argument.kind == Kind::complex) {
    tensor["dtype"] = dtype_name(c10::toComplexType(filling.dtype));
  }
  if (is_number) return tensor;
  tensor["fill"] = "integers";
  const bool is_mask = argument.kind == Kind::mask;
  const bool is_pivot = argument.kind == Kind::pivots;
  tensor["dtype"] = is_mask ? "bool" : is_pivot ? "int32" : "int64";
  const std::int64_t high = is_mask ? 2 : size_of(argument.high, filling.sizes);
  tensor["params"] = {{"low", is_pivot ? 1 : 0}, {"high", is_pivot ? high + 1 : high}};
  return tensor;
}

/// Letters in lists become strings.
Json parsed_value(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    const bool letter = text.front() == '[' && c >= 'a' && c <= 'z';
    quoted += letter ? std::string{'"', c, '"'} : std::string{c};
  }
  return Json::parse(quoted);
}

bool is_value(const std::string& text) {
  const std::string_view first = "[\"-.";
  return text == "true" || text == "false" || text == "null" ||
         first.find(text.front()) != std::string_view::npos ||
         text.find_first_not_of("0123456789.e-") == std::string::npos;
}

/// One word of a row: "index=i:b,n<5".
PlannedArgument argument_from(const std::string& word) {
  const std::size_t equals = word.find('=');
  PlannedArgument argument{.name = word.substr(0, equals)};
  std::string text = word.substr(equals + 1);
  if (is_value(text)) {
    argument.value = parsed_value(text);
    return argument;
  }
  const char prefix = text.size() > 1 && text[1] == ':' ? text.front() : 'f';
  if (text.size() > 1 && text[1] == ':') text = text.substr(2);
  argument.kind = prefix == 'z'                    ? Kind::complex
                  : prefix == 'm'                  ? Kind::mask
                  : prefix == 'p'                  ? Kind::pivots
                  : prefix == 'f' || prefix == 't' ? Kind::floating
                                                   : Kind::integers;
  argument.is_list = prefix == 't' || prefix == 'j';
  if (prefix == 'l') {
    argument.value = parsed_value(text);
    argument.shapes = {""};
    return argument;
  }
  if (const std::size_t at = text.find('@'); at != std::string::npos) {
    argument.domain = text.substr(at + 1);
    text = text.substr(0, at);
    argument.finite = argument.domain == "finite";
    if (argument.finite) argument.domain.clear();
  }
  if (const std::size_t less = text.find('<'); less != std::string::npos) {
    argument.high = text.substr(less + 1);
    text = text.substr(0, less);
  }
  argument.shapes = text == "()" ? std::vector<std::string>{""} : split(text, '|');
  return argument;
}

}  // namespace

Plan plan_from_row(std::string_view row) {
  Plan plan;
  for (const std::string& word : split(row, ' ')) plan.arguments.push_back(argument_from(word));
  return plan;
}

Plan changed(Plan plan, std::string_view row) {
  if (row == "complex") {
    for (PlannedArgument& argument : plan.arguments) {
      if (argument.kind == Kind::floating) argument.kind = Kind::complex;
    }
    return plan;
  }
  for (PlannedArgument& argument : plan_from_row(row).arguments) {
    const auto found =
        std::find_if(plan.arguments.begin(), plan.arguments.end(),
                     [&](const PlannedArgument& old) { return old.name == argument.name; });
    if (found == plan.arguments.end()) {
      plan.arguments.push_back(std::move(argument));
    } else {
      *found = std::move(argument);
    }
  }
  return plan;
}

std::vector<std::string> Plan::floating() const {
  std::vector<std::string> names;
  for (const PlannedArgument& argument : arguments) {
    const bool is_number = argument.kind == Kind::floating || argument.kind == Kind::complex;
    if (is_number && !argument.is_list) names.push_back(argument.name);
  }
  return names;
}

bool Plan::has_complex() const {
  return std::any_of(arguments.begin(), arguments.end(), [](const PlannedArgument& argument) {
    return argument.kind == Kind::complex;
  });
}

Sizes sizes_with(std::int64_t n) {
  return {{'n', n}, {'b', 2}, {'r', 3}, {'c', 4}, {'d', 8}, {'h', 6}, {'w', 7}, {'m', 5}, {'o', 3}};
}

std::int64_t elements_of(const Plan& plan, const Sizes& sizes) {
  std::int64_t count = 0;
  for (const PlannedArgument& argument : plan.arguments) {
    for (const std::string& shape : argument.shapes) {
      std::int64_t product = 1;
      for (const std::string& token : split(shape, ',')) product *= size_of(token, sizes);
      count += product;
    }
  }
  return count;
}

Json arguments_of(const Plan& plan, const Filling& filling) {
  Json args = Json::object();
  for (const PlannedArgument& argument : plan.arguments) {
    if (argument.kind == Kind::value) {
      args[argument.name] = value_of(argument.value, filling);
    } else if (!argument.is_list) {
      args[argument.name] = tensor_json(argument, argument.shapes.front(), filling);
    } else {
      Json list = Json::array();
      for (const std::string& shape : argument.shapes) {
        list.push_back(tensor_json(argument, shape, filling));
      }
      args[argument.name] = std::move(list);
    }
  }
  return args;
}

}  // namespace plumb
