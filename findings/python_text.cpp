#include "findings/python_text.hpp"

#include <cmath>
#include <cstdio>

#include "findings/literal.hpp"
#include "harness/dtype.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

using c10::TypeKind;

std::string quoted_float(double value) { return "float(\"" + shortest(value) + "\")"; }

std::string nested_text(const ReproTensor& tensor, const std::vector<std::int64_t>& shape,
                        std::size_t dim, std::size_t& next) {
  if (dim == shape.size()) return number_text(tensor.storage[next++], tensor.dtype);
  std::string text = "[";
  for (std::int64_t i = 0; i < shape[dim]; ++i) {
    text += (i > 0 ? ", " : "") + nested_text(tensor, shape, dim + 1, next);
  }
  return text + "]";
}

/// "$y.1" → y[1]
std::string reference_text(const std::string& reference) {
  const auto dot = reference.find('.');
  if (dot == std::string::npos) return reference.substr(1);
  return reference.substr(1, dot - 1) + "[" + reference.substr(dot + 1) + "]";
}

std::string operator_text(const c10::OperatorName& name) {
  const auto colons = name.name.find("::");
  const std::string base =
      "torch.ops." + name.name.substr(0, colons) + "." + name.name.substr(colons + 2);
  if (is_python_keyword(name.overload_name))
    return "getattr(" + base + ", \"" + name.overload_name + "\")";
  return base + "." + (name.overload_name.empty() ? "default" : name.overload_name);
}

std::string is_wrong(const Json& seen, const Result& row) {
  if (seen["right"].is_number_integer() &&
      !c10::isFloatingType(*dtype_from(seen["dtype"].get<std::string>()))) {
    return "value != right";
  }
  const double right = seen["right"].is_array() ? 0 : number_of(seen["right"]);
  if (std::isnan(right)) return "value == value";
  if (std::isinf(right)) return "value != right";
  if (row.verdict == Verdict::nonfinite) return "not abs(value) < float(\"inf\")";
  return "not abs(value - right) <= " + shortest(number_from_json(seen["bound"]));
}

}  // namespace

std::string list_text(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (const std::int64_t value : values) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  }
  return text + "]";
}

std::string number_text(const Json& value, c10::ScalarType dtype) {
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_array()) {
    const c10::ScalarType part = real_type(dtype);
    return "complex(" + number_text(value[0], part) + ", " + number_text(value[1], part) + ")";
  }
  const double number = number_of(value);
  if (!std::isfinite(number)) return quoted_float(number);
  const auto format = format_of(dtype);
  if (!format || *format == Format::f32 || *format == Format::f64) return value.dump();
  const double exact = round_to(*format, number);
  if (round_to(*format, static_cast<double>(static_cast<float>(number))) == exact) {
    return value.dump();
  }
  char text[64];
  std::snprintf(text, sizeof text, "float.fromhex(\"%a\")", exact);
  return text;
}

std::string tensor_text(const ReproTensor& tensor) {
  const std::string dtype = "dtype=torch." + dtype_name(tensor.dtype);
  std::string text;
  std::size_t next = 0;
  if (tensor.constant) {
    text = "torch.full(" + list_text(tensor.shape) + ", " +
           number_text(tensor.storage[0], tensor.dtype) + ", " + dtype + ")";
  } else if (tensor.storage.empty()) {
    text = "torch.empty(" + list_text(tensor.shape) + ", " + dtype + ")";
  } else if (!tensor.strided) {
    text = "torch.tensor(" + nested_text(tensor, tensor.shape, 0, next) + ", " + dtype + ")";
  } else {
    const std::vector<std::int64_t> flat = {static_cast<std::int64_t>(tensor.storage.size())};
    text = "torch.tensor(" + nested_text(tensor, flat, 0, next) + ", " + dtype + ").as_strided(" +
           list_text(tensor.shape) + ", " + list_text(tensor.strides) + ", " +
           std::to_string(tensor.offset) + ")";
  }
  if (tensor.neg) text = "torch._neg_view(" + text + ")";
  if (tensor.conj) text = "torch.conj(" + text + ")";
  return tensor.variable + " = " + text + (tensor.wants_grad ? ".requires_grad_()" : "") + "\n";
}

std::string value_text(const Json& value, const c10::TypePtr& type) {
  if (value.is_null()) return "None";
  if (type->kind() == TypeKind::OptionalType) {
    return value_text(value, type->castRaw<c10::OptionalType>()->getElementType());
  }
  const bool is_text = value.is_string();
  if (is_text && value.get<std::string>().starts_with("$")) {
    return reference_text(value.get<std::string>());
  }
  if (type->kind() == TypeKind::ListType) {
    const Json list = value.is_array() ? value : Json::array({value});
    std::string text = "[";
    for (const Json& item : list) {
      text += (text.size() > 1 ? ", " : "") +
              value_text(item, type->castRaw<c10::ListType>()->getElementType());
    }
    return text + "]";
  }
  switch (type->kind()) {
    case TypeKind::StringType: return value.dump();
    case TypeKind::DeviceObjType: return "torch.device(" + value.dump() + ")";
    case TypeKind::ScalarTypeType:
    case TypeKind::MemoryFormatType:
    case TypeKind::LayoutType: {
      const auto dtype = dtype_from(value.get<std::string>());
      return "torch." + (dtype ? dtype_name(*dtype) : value.get<std::string>());
    }
    default: return number_text(value, c10::ScalarType::Double);
  }
}

std::string python_call(const ReproCall& call) {
  std::string text = operator_text(call.op.operator_name()) + "(";
  bool positional = true;
  bool first = true;
  for (const c10::Argument& argument : call.op.schema().arguments()) {
    // None that has no default must be said.
    const bool given = call.args.contains(argument.name());
    const bool said = given || !argument.default_value();
    positional = positional && !argument.kwarg_only() && said;
    if (!said) continue;
    text += first ? "" : ", ";
    first = false;
    // real_type: what the schema calls ScalarType is an integer to `type`.
    const std::string value =
        given ? value_text(call.args[argument.name()], argument.real_type()) : "None";
    if (positional) {
      text += value;
    } else if (is_python_keyword(argument.name())) {
      text += "**{\"" + argument.name() + "\": " + value + "}";
    } else {
      text += argument.name() + "=" + value;
    }
  }
  return text + ")";
}

std::string calls_text(const ReproModel& model) {
  std::string text;
  for (const ReproCall& call : model.calls) text += call.out + " = " + python_call(call) + "\n";
  if (returns_one_tensor(model.calls.back())) return text;
  const std::string& last = model.calls.back().out;
  return text + "outs = []\nfor o in " + last + " if isinstance(" + last +
         ", (list, tuple)) else [" + last + "]:\n    outs += o if isinstance(o, (list, tuple))" +
         " else [o]\n";
}

std::string got_text(const ReproModel& model, const std::string& where) {
  const std::string& last = model.calls.back().out;
  const bool one = returns_one_tensor(model.calls.back());
  if (const auto index = output_index(where)) {
    return "got = " + (one ? last : "torch.as_tensor(outs[" + std::to_string(*index) + "])") + "\n";
  }
  const auto gradient = gradient_index(model, where);
  if (!gradient) return "got = " + (where.empty() ? last : where) + "\n";
  std::string text;
  std::string roots = last;
  std::string cotangent = model.cotangent.empty() ? "torch.ones_like(" + last + ")"
                                                  : model.cotangent + ".expand_as(" + last + ")";
  if (!one) {
    const std::string only_first = model.cotangent.empty() ? "" : "[:1]";
    text =
        "roots = [o for o in outs if torch.is_tensor(o) and o.requires_grad]" + only_first + "\n";
    roots = "roots";
    cotangent = model.cotangent.empty() ? "[torch.ones_like(o) for o in roots]"
                                        : "[" + model.cotangent + ".expand_as(roots[0])]";
  }
  return text + "got = torch.autograd.grad(" + roots + ", [" + joined(model.grad, ", ") + "], " +
         cotangent + ", materialize_grads=True)[" + std::to_string(*gradient) + "]\n";
}

std::string verdict_text(const Json& seen, const Result& row) {
  if (!seen.is_object()) {
    return "print(got)\nprint(\"no single element of it shows what is wrong: plumb replay "
           "tells\")\n"
           "raise SystemExit(77)\n";
  }
  std::string index = list_text(seen["index"].get<std::vector<std::int64_t>>());
  if (index == "[]") index = "";
  const c10::ScalarType dtype = *dtype_from(seen["dtype"].get<std::string>());
  const c10::ScalarType wide = widened(dtype, c10::ScalarType::Double);
  return "value = got" + index + ".item()\n" + "right = " + number_text(seen["right"], wide) +
         "\n" + "print(\"got  \", value)\nprint(\"right\", right)\n" + "raise SystemExit(int(" +
         is_wrong(seen, row) + "))\n";
}

}  // namespace plumb
