#include "harness/expectation.hpp"

#include <cmath>

#include <ATen/ATen.h>

#include "harness/errors.hpp"
#include "harness/json_fields.hpp"

namespace plumb {
namespace {

/// One expected element, given what came out.
double resolve(const Json& wanted, double y, const std::string& where) {
  if (wanted.is_string() && wanted == "*") return y;
  if (!wanted.is_object()) return parse_number(wanted, where);
  if (wanted.size() == 1 && wanted.contains("le")) {
    const double limit = parse_number(wanted["le"], where);
    return y <= limit ? y : limit;
  }
  if (wanted.size() == 1 && wanted.contains("ge")) {
    const double limit = parse_number(wanted["ge"], where);
    return y >= limit ? y : limit;
  }
  if (wanted.size() == 1 && wanted.contains("any") && wanted["any"].is_array() &&
      !wanted["any"].empty()) {
    double best = parse_number(wanted["any"][0], where);
    for (const Json& option : wanted["any"]) {
      const double value = parse_number(option, where);
      if (std::isnan(value) && std::isnan(y)) return value;
      if (value == y && (y != 0 || std::signbit(value) == std::signbit(y))) return value;
      if (std::abs(value - y) < std::abs(best - y) || std::isnan(best)) best = value;
    }
    return best;
  }
  throw InputError(where + ": expected a number, \"*\", {\"any\":[…]}, {\"le\":v} or {\"ge\":v}");
}

/// Fills `flat[next…]` from nested lists of the given shape.
template <typename Put>
void walk(const Json& json, at::IntArrayRef shape, const std::string& where, std::int64_t& next,
          const Put& put) {
  if (shape.empty()) {
    put(next++, json);
    return;
  }
  if (!json.is_array() || static_cast<std::int64_t>(json.size()) != shape[0]) {
    throw InputError(where + ": expected a list of " + std::to_string(shape[0]) + " items, not " +
                     (json.is_array() ? "one of " + std::to_string(json.size()) : json.dump()));
  }
  for (const Json& item : json) walk(item, shape.slice(1), where, next, put);
}

template <typename Put>
void each_value(const Json& values, at::IntArrayRef shape, std::int64_t numel,
                const std::string& where, const Put& put) {
  std::int64_t next = 0;
  if (!values.is_array()) {  // one value for every element
    for (; next < numel; ++next) put(next, values);
  } else {
    walk(values, shape, where, next, put);
  }
}

at::Tensor dense(const at::Tensor& tensor) {
  at::Tensor t = tensor.is_quantized() ? tensor.dequantize() : tensor;
  t = t.resolve_conj().resolve_neg();
  return (t.is_complex() ? at::view_as_real(t) : t).contiguous();
}

at::Tensor truth_from(const Json& values, const at::Tensor& output, const std::string& where) {
  const at::Tensor y = dense(output);
  const bool discrete = !y.is_floating_point();
  const at::Tensor wide = y.to(discrete ? at::kLong : at::kDouble).contiguous().clone();
  each_value(values, wide.sizes(), wide.numel(), where, [&](std::int64_t i, const Json& wanted) {
    if (!discrete) {
      double& element = wide.mutable_data_ptr<double>()[i];
      element = resolve(wanted, element, where);
      return;
    }
    std::int64_t& element = wide.mutable_data_ptr<std::int64_t>()[i];
    if (wanted.is_number_integer()) {
      element = wanted.get<std::int64_t>();
    } else if (wanted.is_boolean()) {
      element = wanted.get<bool>() ? 1 : 0;
    } else {
      element = static_cast<std::int64_t>(resolve(wanted, static_cast<double>(element), where));
    }
  });
  return output.is_complex() ? at::view_as_complex(wide) : wide;
}

const Json* values_for(const Json& values, const std::string& output, std::size_t index) {
  const bool by_name = values.is_object() && !values.contains("any") && !values.contains("le") &&
                       !values.contains("ge");
  if (!by_name) return index == 0 ? &values : nullptr;
  for (const std::string& key : {output, std::to_string(index)}) {
    if (values.contains(key)) return &values[key];
  }
  return nullptr;
}

void check_keys(const Json& values, const Outputs& outputs, const std::string& where) {
  if (!values.is_object() || values.contains("any") || values.contains("le") ||
      values.contains("ge")) {
    return;
  }
  for (const auto& [key, value] : values.items()) {
    bool known = false;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      known = known || key == outputs[i].name || key == std::to_string(i);
    }
    if (!known) {
      throw InputError(where + ": there is no output '" + key + "'; this case has " +
                       std::to_string(outputs.size()) + " outputs");
    }
  }
}

}  // namespace

Expectation parse_expectation(const Json& json, const std::string& where) {
  check_object(json, where, {"verdict", "values", "ulp", "rel", "raises", "path", "digest"});
  Expectation expect;
  expect.verdicts = string_list(json, "verdict", where);
  for (const std::string& word : expect.verdicts) {
    if (verdict_from(word)) continue;
    const std::vector<std::string> known(kVerdictNames.begin(), kVerdictNames.end());
    throw InputError(where + ".verdict: unknown verdict '" + word + "'" + suggestion(word, known));
  }
  if (json.contains("values")) expect.values = json["values"];
  if (json.contains("ulp")) expect.ulp = parse_number(json["ulp"], where + ".ulp");
  if (json.contains("rel")) expect.rel = parse_number(json["rel"], where + ".rel");
  if (json.contains("raises")) expect.raises = string_field(json, "raises", where);
  expect.path = string_list(json, "path", where);
  if (json.contains("digest")) expect.digest = string_field(json, "digest", where);
  return expect;
}

Truths truths_from_values(const Expectation& expect, const Outputs& outputs, const Truths& oracle,
                          const std::string& where) {
  check_keys(expect.values, outputs, where);
  Truths truths;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Output& output = outputs[i];
    if (const Json* values = values_for(expect.values, output.name, i)) {
      truths.push_back({output.name, truth_from(*values, output.tensor, where), {}});
    } else if (i < oracle.size()) {
      truths.push_back(oracle[i]);
    } else {
      truths.push_back({output.name, {}, {}});
    }
  }
  return truths;
}

BoundTerms tolerance_bound(const Expectation& expect, const Contract& contract) {
  const double ulp = expect.ulp.value_or(0);
  return {.relative = expect.rel.value_or(0) + ulp * 2 * contract.output_roundoff,
          .conditional = 0,
          .absolute = ulp * contract.least_subnormal};
}

}  // namespace plumb
