#include "harness/dtype.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/errors.hpp"

namespace plumb {
namespace {

using c10::ScalarType;

constexpr std::array<std::pair<std::string_view, ScalarType>, 20> kNames = {{
    {"float64", ScalarType::Double},
    {"float32", ScalarType::Float},
    {"float16", ScalarType::Half},
    {"bfloat16", ScalarType::BFloat16},
    {"float8_e4m3fn", ScalarType::Float8_e4m3fn},
    {"float8_e5m2", ScalarType::Float8_e5m2},
    {"float8_e4m3fnuz", ScalarType::Float8_e4m3fnuz},
    {"float8_e5m2fnuz", ScalarType::Float8_e5m2fnuz},
    {"complex32", ScalarType::ComplexHalf},
    {"complex64", ScalarType::ComplexFloat},
    {"complex128", ScalarType::ComplexDouble},
    {"int8", ScalarType::Char},
    {"int16", ScalarType::Short},
    {"int32", ScalarType::Int},
    {"int64", ScalarType::Long},
    {"uint8", ScalarType::Byte},
    {"bool", ScalarType::Bool},
    {"qint8", ScalarType::QInt8},
    {"quint8", ScalarType::QUInt8},
    {"qint32", ScalarType::QInt32},
}};

constexpr std::array<std::pair<std::string_view, ScalarType>, 4> kShortNames = {{
    {"f64", ScalarType::Double},
    {"f32", ScalarType::Float},
    {"f16", ScalarType::Half},
    {"bf16", ScalarType::BFloat16},
}};

}  // namespace

std::string dtype_name(ScalarType dtype) {
  for (const auto& [name, type] : kNames) {
    if (type == dtype) return std::string(name);
  }
  return c10::toString(dtype);
}

std::optional<ScalarType> dtype_from(std::string_view name) {
  for (const auto& [known, type] : kNames) {
    if (known == name) return type;
  }
  for (const auto& [known, type] : kShortNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

ScalarType dtype_or_usage_error(std::string_view name) {
  if (const auto dtype = dtype_from(name)) return *dtype;
  std::vector<std::string> known;
  for (const auto& [word, type] : kNames) known.emplace_back(word);
  for (const auto& [word, type] : kShortNames) known.emplace_back(word);
  throw UsageError("unknown dtype '" + std::string(name) + "'" + suggestion(name, known));
}

std::optional<Format> format_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Double: return Format::f64;
    case ScalarType::Float: return Format::f32;
    case ScalarType::Half: return Format::f16;
    case ScalarType::BFloat16: return Format::bf16;
    default: return std::nullopt;
  }
}

ScalarType real_type(ScalarType dtype) {
  return c10::isComplexType(dtype) ? c10::toRealValueType(dtype) : dtype;
}

double unit_roundoff(ScalarType dtype) {
  switch (real_type(dtype)) {
    case ScalarType::Double: return std::ldexp(1.0, -53);
    case ScalarType::Float: return std::ldexp(1.0, -24);
    case ScalarType::Half: return std::ldexp(1.0, -11);
    case ScalarType::BFloat16: return std::ldexp(1.0, -8);
    case ScalarType::Float8_e4m3fn:
    case ScalarType::Float8_e4m3fnuz: return std::ldexp(1.0, -4);
    case ScalarType::Float8_e5m2:
    case ScalarType::Float8_e5m2fnuz: return std::ldexp(1.0, -3);
    default: return 0;
  }
}

double accumulator_roundoff(ScalarType dtype) {
  return real_type(dtype) == ScalarType::Double ? std::ldexp(1.0, -53) : std::ldexp(1.0, -24);
}

ScalarType widened(ScalarType dtype, ScalarType wide) {
  if (c10::isComplexType(dtype)) return c10::toComplexType(wide);
  return c10::isFloatingType(dtype) ? wide : dtype;
}

}  // namespace plumb
