#include "findings/repro.hpp"

#include <cmath>
#include <cstdio>
#include <map>

#include "findings/literal.hpp"
#include "findings/repro_again.hpp"
#include "harness/dtype.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

using c10::TypeKind;

std::string braces(const std::vector<std::int64_t>& values) {
  std::string text = "std::vector<int64_t>{";
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(values[i]);
  }
  return text + "}";
}

std::string dtype_text(c10::ScalarType dtype) {
  return std::string("at::ScalarType::") + c10::toString(dtype);
}

/// A double literal. A half type takes the value itself, in hexadecimal: torch rounds by way of
/// float.
std::string number_text(const Json& value, c10::ScalarType dtype) {
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number_integer() && !c10::isFloatingType(dtype)) return value.dump();
  double number = number_of(value);
  if (std::isnan(number)) return "NAN";
  if (std::isinf(number)) return number < 0 ? "-INFINITY" : "INFINITY";
  const auto format = format_of(dtype);
  const bool by_float = format && *format != Format::f32 && *format != Format::f64;
  if (by_float) number = round_to(*format, number);
  const std::string decimal = shortest(number);
  const bool plain = !by_float || static_cast<double>(static_cast<float>(number)) == number;
  if (plain) return decimal.find_first_of(".e") == std::string::npos ? decimal + ".0" : decimal;
  char text[64];
  std::snprintf(text, sizeof text, "%a", number);
  return text;
}

std::string values_text(const std::vector<Json>& storage, c10::ScalarType dtype, int part) {
  const bool integral = c10::isIntegralType(dtype, true);
  std::string text =
      integral ? "torch::tensor(std::vector<int64_t>{" : "torch::tensor(std::vector<double>{";
  for (std::size_t i = 0; i < storage.size(); ++i) {
    const Json& value =
        storage[i].is_array() ? storage[i][static_cast<std::size_t>(part)] : storage[i];
    text += (i > 0 ? ", " : "") + number_text(value, dtype);
  }
  return text + (integral ? "}, at::kLong)" : "}, at::kDouble)");
}

std::string tensor_text(const ReproTensor& tensor) {
  const c10::ScalarType part = real_type(tensor.dtype);
  std::string text;
  if (tensor.storage.empty()) {
    text = "at::empty(" + braces(tensor.shape) + ", at::kDouble)";
  } else if (c10::isComplexType(tensor.dtype)) {
    text = "at::complex(" + values_text(tensor.storage, part, 0) + ", " +
           values_text(tensor.storage, part, 1) + ")";
  } else {
    text = values_text(tensor.storage, part, 0);
  }
  text += ".to(" + dtype_text(tensor.dtype) + ")";
  if (tensor.constant) {
    text += ".expand(" + braces(tensor.shape) + ").contiguous()";
  } else if (tensor.strided) {
    text += ".as_strided(" + braces(tensor.shape) + ", " + braces(tensor.strides) + ", " +
            std::to_string(tensor.offset) + ")";
  } else if (tensor.shape.size() != 1) {
    text += ".reshape(" + braces(tensor.shape) + ")";
  }
  if (tensor.neg) text = "at::_neg_view(" + text + ")";
  if (tensor.conj) text = "at::_conj(" + text + ")";
  return "  at::Tensor " + tensor.variable + " = " + text + ";\n" +
         (tensor.wants_grad ? "  " + tensor.variable + ".requires_grad_();\n" : "");
}

/// "$y.1" → y[1].toTensor(); results of calls are stacks.
std::string reference_text(const std::string& reference, const ReproModel& model) {
  const auto dot = reference.find('.');
  const std::string name = reference.substr(1, dot == std::string::npos ? dot : dot - 1);
  for (const ReproCall& call : model.calls) {
    if (call.out != name) continue;
    return name + "[" + (dot == std::string::npos ? "0" : reference.substr(dot + 1)) +
           "].toTensor()";
  }
  return name;
}

std::string element_type(const c10::TypePtr& type) {
  switch (type->kind()) {
    case TypeKind::TensorType: return "at::Tensor";
    case TypeKind::OptionalType: return "std::optional<at::Tensor>";
    case TypeKind::BoolType: return "bool";
    case TypeKind::FloatType: return "double";
    default: return "int64_t";
  }
}

std::string value_text(const Json& value, const c10::TypePtr& type, const ReproModel& model);

std::string list_text(const Json& value, const c10::TypePtr& element, const ReproModel& model) {
  std::string text = "c10::List<" + element_type(element) + ">({";
  bool first = true;
  for (const Json& item : value) {
    text += first ? "" : ", ";
    first = false;
    text += item.is_null() ? "std::nullopt" : value_text(item, element, model);
  }
  return text + "})";
}

/// As an argument of c10::IValue.
std::string value_text(const Json& value, const c10::TypePtr& type, const ReproModel& model) {
  if (value.is_null()) return "c10::IValue()";
  if (type->kind() == TypeKind::OptionalType) {
    return value_text(value, type->castRaw<c10::OptionalType>()->getElementType(), model);
  }
  if (value.is_string() && value.get<std::string>().starts_with("$")) {
    return reference_text(value.get<std::string>(), model);
  }
  if (type->kind() == TypeKind::ListType) {
    const Json list = value.is_array() ? value : Json::array({value});
    return list_text(list, type->castRaw<c10::ListType>()->getElementType(), model);
  }
  static const std::map<std::string, std::string> formats = {{"contiguous_format", "Contiguous"},
                                                             {"channels_last", "ChannelsLast"},
                                                             {"preserve_format", "Preserve"}};
  switch (type->kind()) {
    case TypeKind::StringType: return "std::string(" + value.dump() + ")";
    case TypeKind::DeviceObjType: return "c10::Device(" + value.dump() + ")";
    case TypeKind::LayoutType: return "at::kStrided";
    case TypeKind::MemoryFormatType:
      return "at::MemoryFormat::" + formats.at(value.get<std::string>());
    case TypeKind::ScalarTypeType: return dtype_text(*dtype_from(value.get<std::string>()));
    case TypeKind::FloatType: return number_text(value, c10::ScalarType::Double);
    default: break;
  }
  if (value.is_boolean()) return value.dump();
  if (value.is_number_integer()) return "int64_t{" + value.dump() + "}";
  if (!value.is_array()) return number_text(value, c10::ScalarType::Double);
  return "c10::complex<double>(" + number_text(value[0], c10::ScalarType::Double) + ", " +
         number_text(value[1], c10::ScalarType::Double) + ")";
}

/// An argument that is left out, as its default.
std::string default_text(const c10::Argument& argument) {
  const c10::IValue value = argument.default_value().value_or(c10::IValue());
  if (value.isBool()) return value.toBool() ? "true" : "false";
  if (value.isInt()) return "int64_t{" + std::to_string(value.toInt()) + "}";
  if (value.isDouble())
    return number_text(number_to_json(value.toDouble()), c10::ScalarType::Double);
  if (value.isString()) return "std::string(" + Json(value.toStringRef()).dump() + ")";
  if (value.isIntList())
    return "c10::List<int64_t>(" + braces(value.toIntVector()).substr(20) + ")";
  return "c10::IValue()";
}

std::string call_text(const ReproCall& call, const ReproModel& model) {
  const auto& name = call.op.operator_name();
  std::string text = "  torch::jit::Stack " + call.out + ";\n";
  for (const c10::Argument& argument : call.op.schema().arguments()) {
    const bool given = call.args.contains(argument.name());
    text += "  " + call.out + ".emplace_back(" +
            (given ? value_text(call.args[argument.name()], argument.real_type(), model)
                   : default_text(argument)) +
            ");  // " + argument.name() + "\n";
  }
  return text + "  c10::Dispatcher::singleton()\n      .findSchemaOrThrow(\"" + name.name +
         "\", \"" + name.overload_name + "\")\n      .callBoxed(" + call.out + ");\n";
}

std::string got_text(const ReproModel& model, const std::string& where) {
  const std::string& out = model.calls.back().out;
  const auto index = output_index(where);
  if (index && returns_one_tensor(model.calls.back())) {
    return "  at::Tensor got = " + out + "[0].toTensor();\n";
  }
  if (index) return "  at::Tensor got = outs[" + std::to_string(*index) + "];\n";
  const auto gradient = gradient_index(model, where);
  if (!gradient) {
    return "  at::Tensor got = " + (where.empty() ? out + "[0].toTensor()" : where) + ";\n";
  }
  std::string text =
      "  std::vector<at::Tensor> roots, cotangents;\n  for (const at::Tensor& o : outs) {\n";
  text += "    if (!o.defined() || !o.requires_grad()" +
          std::string(model.cotangent.empty() ? "" : " || !roots.empty()") + ") continue;\n" +
          "    roots.push_back(o);\n    cotangents.push_back(" +
          (model.cotangent.empty() ? "at::ones_like(o)" : model.cotangent + ".expand_as(o)") +
          ");\n  }\n";
  text += "  at::Tensor got = torch::autograd::grad(roots, {" + joined(model.grad, ", ") +
          "}, cotangents, {}, false, true)[" + std::to_string(*gradient) + "];\n";
  return text + "  if (!got.defined()) got = at::zeros_like(" + model.grad[*gradient] + ");\n";
}

std::string wrong_text(const Json& seen, const Result& row, const std::string& right) {
  if (seen["right"].is_array()) {
    if (row.verdict == Verdict::nonfinite) return "!std::isfinite(std::abs(value))";
    return "!(std::abs(value - right) <= " + shortest(number_from_json(seen["bound"])) + ")";
  }
  const double number = number_of(seen["right"]);
  if (std::isnan(number)) return "!std::isnan(value)";
  if (std::isinf(number)) return "value != right";
  if (right.find_first_of(".e") == std::string::npos) return "value != right";
  if (row.verdict == Verdict::nonfinite) return "!std::isfinite(value)";
  return "!(std::abs(value - right) <= " + shortest(number_from_json(seen["bound"])) + ")";
}

std::string verdict_text(const Json& seen, const Result& row) {
  if (!seen.is_object()) {
    return "  std::cout << got\n            << \"\\nno single element of it shows what is wrong: "
           "plumb "
           "replay tells\\n\";\n  return 77;\n";
  }
  std::string element = "got";
  for (const Json& k : seen["index"]) element += "[" + k.dump() + "]";
  const c10::ScalarType dtype = *dtype_from(seen["dtype"].get<std::string>());
  const bool complex = seen["right"].is_array();
  const bool integral = c10::isIntegralType(dtype, true);
  const std::string type = complex ? "std::complex<double>" : integral ? "int64_t" : "double";
  const auto part = [&](const Json& value) {
    return number_text(value, integral ? dtype : c10::ScalarType::Double);
  };
  const std::string right = complex
                                ? "{" + part(seen["right"][0]) + ", " + part(seen["right"][1]) + "}"
                                : part(seen["right"]);
  const std::string wide =
      complex ? ".to(at::kComplexDouble).item<c10::complex<double>>()" : ".item<" + type + ">()";
  return "  const " + type + " value(" + element + wide + ");\n  const " + type +
         " right = " + right +
         ";\n  std::cout.precision(17);\n  std::cout << \"got   \" << value << \"\\nright \" " +
         "<< right << \"\\n\";\n  return " + wrong_text(seen, row, right) + " ? 1 : 0;\n";
}

/// One side of a relation as a function of its tensors.
std::string compute_text(const ReproModel& model, const std::string& body) {
  return "  const auto compute = [&](" + compute_arguments(model, "at::Tensor ") + ") {\n" +
         indented(body, 2) + "    return got;\n  };\n";
}

/// Compares `first` and `second` in the element that was seen to differ.
std::string difference_text(const Json& seen) {
  std::string index;
  for (const Json& k : seen["index"]) index += "[" + k.dump() + "]";
  const std::string type = seen["got"].is_array()            ? "c10::complex<double>"
                           : seen["got"].is_number_integer() ? "int64_t"
                                                             : "double";
  const auto printed = [&](const std::string& name) { return name + ".item().to<" + type + ">()"; };
  const std::string same =
      "at::isclose(a, b, 0, " + shortest(seen["bound"].get<double>()) + ", true).item<bool>()";
  return "  at::Tensor a = first" + index + ", b = second" + index +
         ";\n  std::cout.precision(17);\n  std::cout << \"first  \" << " + printed("a") +
         " << \"\\nsecond \" << " + printed("b") + " << \"\\n\";\n  return " +
         (signs_differ(seen) ? "a.signbit().equal(b.signbit())" : same) + " ? 0 : 1;\n";
}

/// The operator that writes its answer beside the one that returns it.
std::string written_text(const ReproModel& model, const Json& seen, const WritingCall& writing) {
  const bool in_place = writing.fills.empty();
  // In place it may have returned a view of what is written next.
  std::string text = std::string("  at::Tensor first = got") + (in_place ? ".clone()" : "") + ";\n";
  if (in_place && writing.overlaps) {
    text += "  " + writing.answer + " = " + writing.answer + ".contiguous();\n";
  }
  const bool one = returns_one_tensor(model.calls.back());
  for (std::size_t i = 0; i < writing.fills.size(); ++i) {
    text += "  at::Tensor buffer" + std::to_string(i) + " = at::full_like(" +
            (one ? "got" : "outs[" + std::to_string(i) + "]") + ".contiguous(), " +
            in_cpp(writing.fills[i]) + ");\n";
  }
  return text + call_text(writing.call, model) + "  at::Tensor second = " + writing.answer + ";\n" +
         difference_text(seen);
}

/// The bits of each try against the first's.
std::string tries_text(const std::string& again, int tries) {
  return "  const auto bits = [](const at::Tensor& t) { return t.reshape({-1}).view(at::kByte); "
         "};\n"
         "  for (int i = 0; i < " +
         std::to_string(tries) + "; ++i) {\n" + "    at::Tensor second = " + again +
         ";\n    if (bits(first).equal(bits(second))) continue;\n"
         "    std::cout << \"first \" << first << \"\\nsecond \" << second << \"\\n\";\n"
         "    return 1;\n  }\n  std::cout << \"all runs gave the same bits\\n\";\n";
}

/// Both sides of a broken relation, the first of which leaves `got`.
std::string both_sides(const ReproModel& model, const Json& seen, const Result& row,
                       const std::string& computed) {
  const std::string relation = "\n  // " + seen["about"].get<std::string>() + "\n";
  const Json& sketch = seen["sketch"];
  if (sketch["op"] != "") {
    const auto writing = writing_call(model, seen);
    if (writing) return computed + relation + written_text(model, seen, *writing);
  }
  std::string text = compute_text(model, computed);
  const auto with_threads = [](int count) {
    return "  at::set_num_threads(" + std::to_string(count) + ");\n";
  };
  const int threads = sketch["threads"];
  if (threads != 0) text += with_threads(row.threads);
  const bool copies = writes_arguments(model);
  text += "  at::Tensor first = compute(" + compute_arguments(model, "", copies ? ".clone()" : "") +
          ");\n" + relation;
  if (threads != 0) text += with_threads(threads);
  const std::string again = in_cpp(second_answer(model, seen));
  if (!seen.contains("index")) return text + tries_text(again, sketch["tries"]);
  return text + "  at::Tensor second = " + again + ";\n" + difference_text(seen);
}

constexpr std::string_view kOneSide =
    "  std::cout << \"one side of it: \" << got\n            << \"\\na second answer did not come "
    "out "
    "of it again: plumb replay may show it\\n\";\n  return 77;\n";

constexpr std::string_view kOutputs = R"(  std::vector<at::Tensor> outs;
  for (const c10::IValue& value : RESULT) {
    if (value.isTensor()) outs.push_back(value.toTensor());
    if (value.isScalar()) outs.push_back(at::scalar_tensor(value.toScalar()));
    if (value.isTensorList()) {
      for (const at::Tensor& item : value.toTensorVector()) outs.push_back(item);
    }
  }
)";

/// Which operators run, held against those that are meant to.
std::string path_text(const Json& stored, const std::string& computed) {
  std::string meant;
  for (const Json& name : stored["expect"]["path"])
    meant += (meant.empty() ? "" : ", ") + name.dump();
  return "  static std::vector<std::string> ran;\n  at::addThreadLocalCallback(\n"
         "      at::RecordFunctionCallback([](const at::RecordFunction& call)\n"
         "                                     -> std::unique_ptr<at::ObserverContext> {\n"
         "        ran.emplace_back(call.name());\n        return nullptr;\n"
         "      }).scopes({at::RecordScope::FUNCTION}));\n" +
         computed + "  bool missing = false;\n  for (const std::string meant : {" + meant +
         "}) {\n    if (std::find(ran.begin(), ran.end(), meant) != ran.end()) continue;\n"
         "    std::cout << \"did not run: \" << meant << \"\\n\";\n    missing = true;\n  }\n"
         "  return missing ? 1 : 0;\n";
}

bool may_not_return(Verdict verdict) { return verdict <= Verdict::error; }

}  // namespace

std::string cpp_repro(const Json& stored, const Json& seen, const Result& row) {
  std::string text = "// " + repro_title(stored, row) + "\n";
  const auto model = repro_model(stored);
  const std::string variant = stored.value("variant", "eager");
  if (!model || variant != "eager") {
    const std::string why =
        model ? "it fails in the variant " + variant + ": repro.py or plumb replay shows it"
              : kNoModel;
    return text + "// " + why + "\nint main() { return 77; }\n";
  }
  text +=
      "#include <algorithm>\n#include <cmath>\n#include <complex>\n#include <iostream>\n\n#include "
      "<torch/torch.h>\n\n"
      "#include <ATen/core/dispatch/Dispatcher.h>\n\nint main() {\n";
  if (row.threads != 1) text += "  at::set_num_threads(" + std::to_string(row.threads) + ");\n";
  for (const ReproTensor& tensor : model->tensors) text += tensor_text(tensor);
  std::string calls;
  for (const ReproCall& call : model->calls) calls += call_text(call, *model);
  if (may_not_return(row.verdict))
    return text + calls + "  std::cout << \"it came through\\n\";\n}\n";
  std::string outputs(kOutputs);
  outputs.replace(outputs.find("RESULT"), 6, model->calls.back().out);
  const std::string place = seen.is_object() ? seen["output"].get<std::string>() : row.where;
  const std::string where = place.substr(0, place.find(", "));  // a relation follows
  const bool alone = returns_one_tensor(model->calls.back()) && output_index(where);
  const std::string computed = calls + (alone ? "" : outputs) + got_text(*model, where);
  if (row.verdict == Verdict::fallback) return text + path_text(stored, computed) + "}\n";
  if (!is_about_two_answers(row)) return text + computed + verdict_text(seen, row) + "}\n";
  if (!seen.is_object()) return text + computed + std::string(kOneSide) + "}\n";
  return text + both_sides(*model, seen, row, computed) + "}\n";
}

}  // namespace plumb
