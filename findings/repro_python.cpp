#include "findings/repro.hpp"

#include <cmath>
#include <cstdio>

#include "findings/literal.hpp"
#include "findings/repro_again.hpp"
#include "harness/dtype.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

using c10::TypeKind;

std::string list_text(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (const std::int64_t value : values) {
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  }
  return text + "]";
}

std::string quoted_float(double value) { return "float(\"" + shortest(value) + "\")"; }

/// A number as Python reads it. torch rounds half types by way of float: where that is not the
/// value, the value itself in hexadecimal.
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

std::string nested_text(const ReproTensor& tensor, const std::vector<std::int64_t>& shape,
                        std::size_t dim, std::size_t& next) {
  if (dim == shape.size()) return number_text(tensor.storage[next++], tensor.dtype);
  std::string text = "[";
  for (std::int64_t i = 0; i < shape[dim]; ++i) {
    text += (i > 0 ? ", " : "") + nested_text(tensor, shape, dim + 1, next);
  }
  return text + "]";
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

/// "$y.1" → y[1]
std::string reference_text(const std::string& reference) {
  const auto dot = reference.find('.');
  if (dot == std::string::npos) return reference.substr(1);
  return reference.substr(1, dot - 1) + "[" + reference.substr(dot + 1) + "]";
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

std::string operator_text(const c10::OperatorName& name) {
  const auto colons = name.name.find("::");
  const std::string base =
      "torch.ops." + name.name.substr(0, colons) + "." + name.name.substr(colons + 2);
  if (is_python_keyword(name.overload_name))
    return "getattr(" + base + ", \"" + name.overload_name + "\")";
  return base + "." + (name.overload_name.empty() ? "default" : name.overload_name);
}

std::string call_text(const ReproCall& call) {
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

/// The statements that leave the tensor to look at in `got`.
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

/// The calls, and `outs` where the last returns several tensors.
std::string calls_text(const ReproModel& model) {
  std::string text;
  for (const ReproCall& call : model.calls) text += call.out + " = " + call_text(call) + "\n";
  if (returns_one_tensor(model.calls.back())) return text;
  const std::string& last = model.calls.back().out;
  return text + "outs = []\nfor o in " + last + " if isinstance(" + last +
         ", (list, tuple)) else [" + last + "]:\n    outs += o if isinstance(o, (list, tuple))" +
         " else [o]\n";
}

/// One side of a relation as a function of its tensors.
std::string compute_text(const ReproModel& model, std::string body) {
  body.replace(body.rfind("got = "), 6, "return ");
  return "def compute(" + compute_arguments(model) + "):\n" + indented(body, 4) + "\n\n";
}

/// Compares `first` and `second` in the element that was seen to differ.
std::string difference_text(const Json& seen) {
  std::string index = list_text(seen["index"].get<std::vector<std::int64_t>>());
  if (index == "[]") index = "";
  const std::string same =
      "torch.isclose(a, b, rtol=0, atol=" + shortest(seen["bound"].get<double>()) +
      ", equal_nan=True)";
  return "a, b = first" + index + ", second" + index +
         "\nprint(\"first \", a.item())\nprint(\"second\", b.item())\nraise SystemExit(int(" +
         (signs_differ(seen) ? "a.signbit() != b.signbit()" : "not " + same) + "))\n";
}

/// The operator that writes its answer beside the one that returns it.
std::string written_text(const ReproModel& model, const Json& seen, const WritingCall& writing) {
  std::string text;
  if (writing.fills.empty()) {
    // It may have returned a view of what is written next.
    text += "first = got.clone()\n";
    if (writing.overlaps) text += writing.answer + " = " + writing.answer + ".contiguous()\n";
  } else {
    text += "first = got\n";
  }
  const bool one = returns_one_tensor(model.calls.back());
  for (std::size_t i = 0; i < writing.fills.size(); ++i) {
    text += "buffer" + std::to_string(i) + " = torch.full_like(" +
            (one ? "got" : "outs[" + std::to_string(i) + "]") + ".contiguous(), " +
            writing.fills[i] + ")\n";
  }
  return text + call_text(writing.call) + "\nsecond = " + writing.answer + "\n" +
         difference_text(seen);
}

/// The bits of each try against the first's.
std::string tries_text(const std::string& again, int tries) {
  return "for _ in range(" + std::to_string(tries) + "):\n    second = " + again +
         "\n    a, b = (t.reshape([-1]).view(torch.uint8) for t in (first, second))\n"
         "    if not torch.equal(a, b):\n        print(\"first \", first)\n"
         "        print(\"second\", second)\n        raise SystemExit(1)\n"
         "print(\"all runs gave the same bits\")\n";
}

/// Both sides of a broken relation, the first of which leaves `got`.
std::string both_sides(const ReproModel& model, const Json& seen, const Result& row,
                       const std::string& tensors, const std::string& computed) {
  const std::string relation = "\n# " + seen["about"].get<std::string>() + "\n";
  const Json& sketch = seen["sketch"];
  if (sketch["op"] != "") {
    const auto writing = writing_call(model, seen);
    if (writing) return tensors + computed + relation + written_text(model, seen, *writing);
  }
  const bool copies = writes_arguments(model);
  std::string text = compute_text(model, computed) + tensors;
  const int threads = sketch["threads"];
  if (threads != 0) text += "torch.set_num_threads(" + std::to_string(row.threads) + ")\n";
  text += "first = compute(" + compute_arguments(model, "", copies ? ".clone()" : "") + ")\n";
  text += relation;
  if (threads != 0) text += "torch.set_num_threads(" + std::to_string(threads) + ")\n";
  const std::string again = second_answer(model, seen);
  if (!seen.contains("index")) return text + tries_text(again, sketch["tries"]);
  return text + "second = " + again + "\n" + difference_text(seen);
}

constexpr std::string_view kOneSide =
    "print(\"one side of it: \", got)\nprint(\"a second answer did not come out of it again: plumb "
    "replay may show it\")\nraise SystemExit(77)\n";

std::string remark(const Result& row) {
  switch (row.verdict) {
    case Verdict::error: return "print(\"no error\")\n";
    case Verdict::crashed:
    case Verdict::hung:
    case Verdict::out_of_memory: return "print(\"it came through\")\n";
    default: return "";
  }
}

}  // namespace

std::string python_repro(const Json& stored, const Json& seen, const Result& row) {
  std::string text = "# " + repro_title(stored, row) + "\n";
  const auto model = repro_model(stored);
  if (!model) {
    return text + "import sys\n\nprint(\"" + why_no_program(stored) + "\")\nsys.exit(77)\n";
  }
  text += "import torch\n\n";
  if (!model->calls.back().op.schema().name().starts_with("aten::")) {
    text += "import sys\n\ntorch.ops.load_library(sys.argv[1])  # what registers the operator\n";
  }
  if (row.threads != 1) text += "torch.set_num_threads(" + std::to_string(row.threads) + ")\n";
  std::string tensors;
  for (const ReproTensor& tensor : model->tensors) tensors += tensor_text(tensor);
  if (!remark(row).empty()) return text + tensors + calls_text(*model) + remark(row);
  const std::string where = seen.is_object() ? seen["output"].get<std::string>() : row.where;
  const std::string output = where.substr(0, where.find(", "));  // a relation follows
  const std::string computed = calls_text(*model) + got_text(*model, output);
  if (!is_about_two_answers(row)) return text + tensors + computed + verdict_text(seen, row);
  if (!seen.is_object()) return text + tensors + computed + std::string(kOneSide);
  return text + both_sides(*model, seen, row, tensors, computed);
}

}  // namespace plumb
