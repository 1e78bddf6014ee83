#include "harness/arguments.hpp"

#include <algorithm>
#include <cmath>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/json_fields.hpp"
#include "harness/overloads.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

using c10::TypeKind;

/// Either a value or the reason why the JSON does not fit the type.
struct Converted {
  std::optional<c10::IValue> value;
  std::string why;
};

Converted mismatch(std::string why) { return {std::nullopt, std::move(why)}; }

bool is_number(const Json& json) {
  if (json.is_number() || json.is_boolean()) return true;
  if (!json.is_string()) return false;
  const auto text = json.get<std::string>();
  return text == "nan" || text == "inf" || text == "-inf" || text.find("0x") != std::string::npos;
}

/// JSON keeps integers up to 2^64-1; the upper half would come out negative.
bool fits_int64(const Json& json) {
  return json.is_number_unsigned() ? json.get<std::uint64_t>() <= INT64_MAX
                                   : json.is_number_integer();
}

class Converter {
 public:
  Converter(const TensorReader& tensors, std::string name, std::string where)
      : tensors_(tensors), name_(std::move(name)), where_(std::move(where)) {}

  Converted convert(const Json& json, const c10::TypePtr& type) const {
    switch (type->kind()) {
      case TypeKind::OptionalType: return optional(json, type);
      case TypeKind::TensorType: return tensor(json);
      case TypeKind::ListType: return list(json, type->castRaw<c10::ListType>()->getElementType());
      case TypeKind::IntType:
      case TypeKind::SymIntType: return whole(json);
      case TypeKind::FloatType:
      case TypeKind::SymFloatType:
        if (!is_number(json) || json.is_boolean()) return mismatch("expected a number");
        return {parse_number(json, where_), ""};
      case TypeKind::BoolType:
      case TypeKind::SymBoolType:
        if (!json.is_boolean()) return mismatch("expected true or false");
        return {json.get<bool>(), ""};
      case TypeKind::NumberType: return scalar(json);
      case TypeKind::StringType:
        if (!json.is_string()) return mismatch("expected a string");
        return {json.get<std::string>(), ""};
      case TypeKind::ScalarTypeType: return scalar_type(json);
      case TypeKind::DeviceObjType: return device(json);
      case TypeKind::MemoryFormatType: return memory_format(json);
      case TypeKind::LayoutType:
        if (json != "strided") return mismatch("expected \"strided\"");
        return {static_cast<std::int64_t>(at::kStrided), ""};
      default: return mismatch("arguments of type " + type->str() + " cannot be written in a case");
    }
  }

 private:
  Converted optional(const Json& json, const c10::TypePtr& type) const {
    if (json.is_null()) return {c10::IValue(), ""};
    return convert(json, type->castRaw<c10::OptionalType>()->getElementType());
  }

  Converted tensor(const Json& json) const {
    if (auto read = tensors_(json, name_)) return {*read, ""};
    return mismatch("expected a tensor");
  }

  Converted whole(const Json& json) const {
    if (!fits_int64(json)) return mismatch("expected an integer of 64 bits");
    return {json.get<std::int64_t>(), ""};
  }

  Converted scalar(const Json& json) const {
    if (json.is_boolean()) return {json.get<bool>(), ""};
    if (fits_int64(json)) return {json.get<std::int64_t>(), ""};
    if (json.is_number_integer()) return mismatch("expected an integer of 64 bits, or a float");
    if (is_number(json)) return {parse_number(json, where_), ""};
    if (json.is_array() && json.size() == 2 && is_number(json[0]) && is_number(json[1])) {
      return {c10::complex<double>(parse_number(json[0], where_), parse_number(json[1], where_)),
              ""};
    }
    return mismatch("expected a number");
  }

  Converted scalar_type(const Json& json) const {
    if (!json.is_string()) return mismatch("expected a dtype name");
    const auto dtype = dtype_from(json.get<std::string>());
    if (!dtype) return mismatch("unknown dtype '" + json.get<std::string>() + "'");
    return {static_cast<std::int64_t>(*dtype), ""};
  }

  static Converted device(const Json& json) {
    if (!json.is_string()) return mismatch("expected a device name");
    try {
      return {c10::Device(json.get<std::string>()), ""};
    } catch (const c10::Error&) {
      return mismatch("unknown device '" + json.get<std::string>() + "'");
    }
  }

  static Converted memory_format(const Json& json) {
    if (json == "contiguous_format")
      return {static_cast<std::int64_t>(at::MemoryFormat::Contiguous), ""};
    if (json == "channels_last")
      return {static_cast<std::int64_t>(at::MemoryFormat::ChannelsLast), ""};
    if (json == "preserve_format")
      return {static_cast<std::int64_t>(at::MemoryFormat::Preserve), ""};
    return mismatch("expected contiguous_format, channels_last or preserve_format");
  }

  /// int[1] and float[1] accept a single number, as in Python.
  Converted list(const Json& json, const c10::TypePtr& element) const {
    if (!json.is_array()) {
      const bool broadcast = element->kind() == TypeKind::IntType ||
                             element->kind() == TypeKind::SymIntType ||
                             element->kind() == TypeKind::FloatType;
      return broadcast && is_number(json) ? list(Json::array({json}), element)
                                          : mismatch("expected a list");
    }
    c10::impl::GenericList values(
        element->kind() == TypeKind::SymIntType ? c10::TypePtr(c10::IntType::get()) : element);
    for (const Json& item : json) {
      Converted converted = convert(item, element);
      if (!converted.value) return converted;
      values.push_back(std::move(*converted.value));
    }
    return {c10::IValue(values), ""};
  }

  const TensorReader& tensors_;
  std::string name_;
  std::string where_;
};

/// Why these arguments do not fit the schema; empty when they do.
std::string misfit(const c10::FunctionSchema& schema, const Json& args, const TensorReader& tensors,
                   const std::string& where, Inputs* inputs) {
  std::vector<std::string> names;
  for (const c10::Argument& argument : schema.arguments()) names.push_back(argument.name());
  for (const auto& [key, value] : args.items()) {
    if (std::find(names.begin(), names.end(), key) == names.end()) {
      return "no argument is called '" + key + "'" + suggestion(key, names);
    }
  }
  for (const c10::Argument& argument : schema.arguments()) {
    const auto given = args.find(argument.name());
    if (given == args.end()) {
      const bool needed = !argument.default_value().has_value() &&
                          argument.type()->kind() != TypeKind::OptionalType;
      if (needed) return "the argument '" + argument.name() + "' is missing";
      continue;
    }
    const Converter converter(tensors, argument.name(), where + "." + argument.name());
    Converted converted = converter.convert(*given, argument.real_type());
    if (!converted.value) return argument.name() + ": " + converted.why;
    if (inputs != nullptr) inputs->set(argument.name(), std::move(*converted.value));
  }
  return "";
}

std::string suggested_operator(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& op : c10::Dispatcher::singleton().getAllOpNames()) names.push_back(op.name);
  return suggestion(name, names);
}

/// Tensors are expensive to build and their errors are not about overloads: here any object or
/// "$name" passes as one.
std::optional<at::Tensor> stand_in(const Json& json, const std::string&) {
  const bool reference = json.is_string() && json.get<std::string>().starts_with("$");
  if (!json.is_object() && !reference) return std::nullopt;
  return at::Tensor();
}

}  // namespace

c10::OperatorHandle resolve_operator(const std::string& op, const Json& args,
                                     const std::string& where) {
  const auto dot = op.find('.');
  if (dot != std::string::npos) {
    if (const auto handle = operator_named(op)) return *handle;
  }
  const auto candidates = overloads_of(op.substr(0, dot));
  if (candidates.empty()) {
    throw InputError(where + ".op: unknown operator '" + op + "'" +
                     suggested_operator(op.substr(0, dot)));
  }
  std::vector<c10::OperatorHandle> fitting;
  std::vector<std::string> listing;
  std::string why;
  for (const auto& candidate : candidates) {
    listing.push_back(full_name(candidate.operator_name()));
    why = misfit(candidate.schema(), args, stand_in, where + ".args", nullptr);
    if (why.empty()) fitting.push_back(candidate);
  }
  if (dot != std::string::npos) {
    throw InputError(where + ".op: unknown overload '" + op + "'; expected one of " +
                     joined(listing, ", "));
  }
  if (candidates.size() == 1 && fitting.empty()) {
    throw InputError(where + ".args: " + op + ": " + why);
  }
  // The overload without a name is the one torch itself prefers when several fit.
  if (!fitting.empty() && fitting.front().operator_name().overload_name.empty())
    fitting.erase(fitting.begin() + 1, fitting.end());
  if (fitting.size() != 1) {
    throw InputError(
        where + ".op: " + (fitting.empty() ? "no overload" : "more than one overload") + " of '" +
        op + "' accepts these arguments; candidates are " + joined(listing, ", "));
  }
  return fitting.front();
}

Inputs arguments_from_json(const c10::OperatorHandle& op, const Json& args,
                           const TensorReader& tensors, const std::string& where) {
  if (!args.is_object()) throw InputError(where + ": expected an object of arguments");
  Inputs inputs;
  const std::string why = misfit(op.schema(), args, tensors, where, &inputs);
  if (!why.empty()) throw InputError(where + ": " + full_name(op.operator_name()) + ": " + why);
  return inputs;
}

void round_scalars(const c10::FunctionSchema& schema, std::optional<c10::ScalarType> dtype,
                   Inputs& inputs) {
  if (!dtype || !c10::isFloatingType(*dtype)) return;
  const c10::Type& number = *c10::NumberType::get();
  for (const c10::Argument& argument : schema.arguments()) {
    const c10::IValue* value = inputs.find(argument.name());
    if (value == nullptr || !value->isDouble() || !number.isSubtypeOf(*argument.type())) continue;
    const double rounded =
        at::scalar_tensor(value->toDouble(), at::kDouble).to(*dtype).to(at::kDouble).item<double>();
    if (std::isfinite(rounded)) inputs.set(argument.name(), rounded);
  }
}

std::optional<c10::ScalarType> common_dtype(const Inputs& inputs) {
  std::optional<c10::ScalarType> common;
  bool differ = false;
  inputs.each([&](const std::string&, const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_floating_point()) return;
    differ = differ || (common && *common != tensor.scalar_type());
    common = tensor.scalar_type();
  });
  return differ ? std::nullopt : common;
}

}  // namespace plumb
