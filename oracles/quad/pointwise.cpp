#include "oracles/quad/pointwise.hpp"

#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>

namespace plumb::quad {
namespace {

bool is_tensor(const Arguments& arguments, const Operand& operand) {
  return arguments.has(operand.name) && arguments.find(operand.name)->isTensor();
}

std::vector<std::int64_t> common_shape(const Arguments& arguments,
                                       const std::vector<Operand>& operands) {
  std::vector<std::int64_t> shape;
  for (const Operand& operand : operands) {
    if (!is_tensor(arguments, operand)) continue;
    shape = at::infer_size(shape, arguments.find(operand.name)->toTensor().sizes());
  }
  return shape;
}

Column column(const Arguments& arguments, const Operand& operand,
              const std::vector<std::int64_t>& shape) {
  Column result;
  if (!is_tensor(arguments, operand)) {
    result.fixed = arguments.number(operand.name, Quad(operand.absent.value_or(0)));
    return result;
  }
  result.values = arguments.doubles(operand.name);
  if (result.values.numel() == 1) {
    result.fixed = Quad(*result.values.const_data_ptr<double>());
    return result;
  }
  result.values = result.values.expand(shape).contiguous();
  result.data = result.values.const_data_ptr<double>();
  return result;
}

}  // namespace

Columns broadcast(const Arguments& arguments, const std::vector<Operand>& operands) {
  Columns columns;
  columns.shape = common_shape(arguments, operands);
  for (const std::int64_t size : columns.shape) columns.count *= static_cast<std::size_t>(size);
  for (const Operand& operand : operands) {
    columns.operands.push_back(column(arguments, operand, columns.shape));
  }
  return columns;
}

std::int64_t broadcast_count(const Arguments& arguments, const std::vector<Operand>& operands) {
  std::int64_t count = 1;
  for (const std::int64_t size : common_shape(arguments, operands)) count *= size;
  return count;
}

std::optional<std::string> missing(const Arguments& arguments,
                                   const std::vector<Operand>& operands) {
  for (const Operand& operand : operands) {
    if (!operand.absent && !arguments.has(operand.name)) return "it without " + operand.name;
  }
  return std::nullopt;
}

QuadTensor reduced(QuadTensor values, std::int64_t reduction) {
  if (reduction == 0) return values;
  Quad sum = 0;
  for (const Quad value : values.data) sum += value;
  const bool mean = reduction == 1;
  return {{}, {mean ? sum / Quad(values.data.size()) : sum}};
}

}  // namespace plumb::quad
