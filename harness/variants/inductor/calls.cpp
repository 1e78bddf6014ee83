#include "harness/variants/inductor/calls.hpp"

#include <cmath>

#include <ATen/ATen.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "harness/dtype.hpp"
#include "harness/overloads.hpp"
#include "harness/text.hpp"
#include "harness/variant.hpp"

namespace plumb::inductor {
namespace {

namespace jit = torch::jit;

Json number(double value) {
  if (std::isfinite(value)) return {{"literal", value}};
  return {{"number", std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf"}};
}

std::string layout_name(at::Layout layout) {
  if (layout == at::kStrided) return "strided";
  throw CannotRun("it makes a tensor of a layout other than strided");
}

std::string memory_format_name(at::MemoryFormat format) {
  switch (format) {
    case at::MemoryFormat::Contiguous: return "contiguous_format";
    case at::MemoryFormat::Preserve: return "preserve_format";
    case at::MemoryFormat::ChannelsLast: return "channels_last";
    case at::MemoryFormat::ChannelsLast3d: return "channels_last_3d";
    default: throw CannotRun("it uses an unknown memory format");
  }
}

/// Graphs keep types, layouts and memory formats as integers: the schema tells them apart.
Json integer(std::int64_t value, const c10::Type& declared) {
  const c10::Type* type = &declared;
  if (const auto optional = declared.cast<c10::OptionalType>()) {
    type = optional->getElementType().get();
  }
  switch (type->kind()) {
    case c10::TypeKind::ScalarTypeType:
      return {{"dtype", dtype_name(static_cast<c10::ScalarType>(value))}};
    case c10::TypeKind::LayoutType:
      return {{"layout", layout_name(static_cast<at::Layout>(value))}};
    case c10::TypeKind::MemoryFormatType:
      return {{"memory_format", memory_format_name(static_cast<at::MemoryFormat>(value))}};
    default: return {{"literal", value}};
  }
}

class Writer {
 public:
  explicit Writer(const TracedGraph& traced) : graph_(*traced.graph) {}

  Calls write(const std::vector<at::Tensor>& inputs) {
    Json text = {{"inputs", Json::array()}, {"calls", Json::array()}, {"results", Json::array()}};
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      text["inputs"].push_back({{"dtype", dtype_name(inputs[i].scalar_type())},
                                {"shape", inputs[i].sizes().vec()},
                                {"strides", inputs[i].strides().vec()}});
      names_[graph_.inputs().at(i)] = "input " + std::to_string(i);
    }
    for (const jit::Node* node : graph_.nodes()) {
      if (!is_written_inside_others(*node)) text["calls"].push_back(call(*node));
    }
    for (const jit::Value* result : graph_.outputs().at(0)->node()->inputs()) {
      text["results"].push_back(value(result, *c10::TensorType::get()));
    }
    calls_.text = std::move(text);
    return std::move(calls_);
  }

 private:
  static bool is_written_inside_others(const jit::Node& node) {
    return node.kind() == c10::prim::Constant || node.kind() == c10::prim::ListConstruct ||
           node.kind() == c10::prim::TupleConstruct;
  }

  Json call(const jit::Node& node) {
    const c10::FunctionSchema* schema = node.maybeSchema();
    const bool unpacks = node.kind() == c10::prim::ListUnpack;
    if (schema == nullptr && !unpacks) {
      throw CannotRun(std::string("its graph has a ") + node.kind().toQualString());
    }
    Json call = {{"op", unpacks ? "prim::ListUnpack" : full_name(schema->operator_name())},
                 {"args", Json::array()},
                 {"named", Json::object()},
                 {"out", Json::array()}};
    for (std::size_t i = 0; i < node.inputs().size(); ++i) {
      if (unpacks) {
        call["args"].push_back(value(node.input(i), *c10::AnyType::get()));
        continue;
      }
      const c10::Argument& argument = schema->arguments().at(i);
      const Json given = value(node.input(i), *argument.real_type());
      if (argument.kwarg_only()) {
        call["named"][argument.name()] = given;
      } else {
        call["args"].push_back(given);
      }
    }
    for (const jit::Value* output : node.outputs()) {
      names_[output] = "value " + std::to_string(names_.size());
      call["out"].push_back(names_[output]);
    }
    return call;
  }

  Json value(const jit::Value* key, const c10::Type& declared) {
    const jit::Node& node = *key->node();
    if (node.kind() == c10::prim::Constant) return literal(jit::toIValue(key).value(), declared);
    if (node.kind() != c10::prim::ListConstruct) return {{"name", names_.at(key)}};
    Json items = Json::array();
    for (const jit::Value* item : node.inputs()) {
      items.push_back(value(item, *c10::AnyType::get()));
    }
    return {{"list", std::move(items)}};
  }

  Json literal(const c10::IValue& constant, const c10::Type& declared) {
    if (constant.isNone()) return {{"literal", nullptr}};
    if (constant.isBool()) return {{"literal", constant.toBool()}};
    if (constant.isInt()) return integer(constant.toInt(), declared);
    if (constant.isDouble()) return number(constant.toDouble());
    if (constant.isString()) return {{"literal", constant.toStringRef()}};
    if (constant.isDevice()) return {{"device", constant.toDevice().str()}};
    if (constant.isComplexDouble()) {
      const c10::complex<double> z = constant.toComplexDouble();
      return {{"complex", {shortest(z.real()), shortest(z.imag())}}};
    }
    if (constant.isTensor()) {
      calls_.constants.push_back(constant.toTensor().detach());
      return {{"constant", calls_.constants.size() - 1}};
    }
    if (constant.isList()) {
      Json items = Json::array();
      for (const c10::IValue& item : constant.toListRef()) {
        items.push_back(literal(item, *c10::AnyType::get()));
      }
      return {{"list", std::move(items)}};
    }
    throw CannotRun("its graph has a constant of type " + constant.tagKind());
  }

  const jit::Graph& graph_;
  std::unordered_map<const jit::Value*, std::string> names_;
  Calls calls_;
};

}  // namespace

Calls calls_of(const TracedGraph& traced, const std::vector<at::Tensor>& inputs) {
  return Writer(traced).write(inputs);
}

}  // namespace plumb::inductor
