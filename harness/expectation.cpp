#include "harness/expectation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include <ATen/ATen.h>
#include <torch/version.h>

#include "harness/errors.hpp"
#include "harness/integers.hpp"
#include "harness/json_fields.hpp"

namespace plumb {
namespace {

bool agrees(double value, double y) {
  if (std::isnan(value)) return std::isnan(y);
  return value == y && (y != 0 || std::signbit(value) == std::signbit(y));
}

bool agrees(std::int64_t value, std::int64_t y) { return value == y; }

double limit(double value, const std::string& where) {
  if (std::isnan(value)) throw InputError(where + ": expected a limit that is not NaN");
  return value;
}

std::int64_t limit(std::int64_t value, const std::string&) { return value; }

/// One expected element, given what came out. `read` turns a plain one into a number.
template <typename T, typename Read>
T resolve(const Json& wanted, T y, const std::string& where, const Read& read) {
  if (wanted.is_string() && wanted == "*") return y;
  if (!wanted.is_object()) return read(wanted);
  if (wanted.size() == 1 && wanted.contains("le")) {
    const T most = limit(read(wanted["le"]), where);
    return y <= most ? y : most;
  }
  if (wanted.size() == 1 && wanted.contains("ge")) {
    const T least = limit(read(wanted["ge"]), where);
    return y >= least ? y : least;
  }
  if (wanted.size() == 1 && wanted.contains("any") && wanted["any"].is_array() &&
      !wanted["any"].empty()) {
    const auto distance = [y](T value) {
      return std::abs(static_cast<double>(value) - static_cast<double>(y));
    };
    T best = read(wanted["any"][0]);
    bool found = false;
    for (const Json& option : wanted["any"]) {
      const T value = read(option);  // a bad one is an error even behind the right one
      if (found) continue;
      found = agrees(value, y);
      if (found || distance(value) < distance(best) || std::isnan(distance(best))) best = value;
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
                     (json.is_array() ? "one of " + std::to_string(json.size()) : excerpt(json)));
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
  const auto number = [&](const Json& json) { return parse_number(json, where); };
  const auto whole = [&](const Json& json) {
    return integer_element(json, y.scalar_type(), where);
  };
  each_value(values, wide.sizes(), wide.numel(), where, [&](std::int64_t i, const Json& wanted) {
    if (discrete) {
      std::int64_t& element = wide.mutable_data_ptr<std::int64_t>()[i];
      element = resolve(wanted, element, where, whole);
    } else {
      double& element = wide.mutable_data_ptr<double>()[i];
      element = resolve(wanted, element, where, number);
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

[[noreturn]] void refuse_output(const std::string& key, std::size_t count,
                                const std::string& where) {
  throw InputError(where + ": there is no output '" + key + "'; this case has " +
                   std::to_string(count) + " outputs");
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
    if (!known) refuse_output(key, outputs.size(), where);
  }
}

double tolerance(const Json& json, const std::string& where) {
  const double value = json.is_number() ? json.get<double>() : NAN;
  if (value >= 0 && std::isfinite(value)) return value;  // any other would let everything pass
  throw InputError(where + ": expected a number of 0 or more, not " + excerpt(json));
}

/// `raises` says that an error is right: alone it expects one, and beside verdicts it must be among
/// them.
void expect_error(Expectation& expect, const std::string& where) {
  if (expect.raises.empty()) {
    throw InputError(where + ".raises: expected some text that the error must contain");
  }
  if (expect.verdicts.empty()) expect.verdicts.emplace_back(to_string(Verdict::error));
  if (std::find(expect.verdicts.begin(), expect.verdicts.end(), "error") == expect.verdicts.end()) {
    throw InputError(where + ".raises: expected \"error\" among the verdicts beside it");
  }
}

std::vector<std::string> verdict_list(const Json& json, const std::string& key,
                                      const std::string& where) {
  std::vector<std::string> verdicts = string_list(json, key, where);
  const auto unknown = std::find_if(verdicts.begin(), verdicts.end(),
                                    [](const std::string& word) { return !verdict_from(word); });
  if (unknown == verdicts.end()) return verdicts;
  const std::vector<std::string> known(kVerdictNames.begin(), kVerdictNames.end());
  throw InputError(where + "." + key + ": unknown verdict '" + *unknown + "'" +
                   suggestion(*unknown, known));
}

std::pair<int, int> version_from(const std::string& text, const std::string& where) {
  std::pair<int, int> version;
  int end = 0;
  if (std::sscanf(text.c_str(), "%4d.%4d%n", &version.first, &version.second, &end) == 2 &&
      static_cast<std::size_t>(end) == text.size()) {
    return version;
  }
  throw InputError(where + ": expected versions of torch such as \"2.15\", not " + excerpt(text));
}

/// The verdicts of the first of these versions that comes after the torch this is built with.
std::optional<std::vector<std::string>> verdicts_before(const Json& json,
                                                        const std::string& where) {
  if (!json.is_object()) throw InputError(where + ": expected an object of verdicts by version");
  std::map<std::pair<int, int>, std::vector<std::string>> later;
  for (const auto& [text, ignored] : json.items()) {
    const auto version = version_from(text, where);
    auto verdicts = verdict_list(json, text, where);
    if (version > std::pair{TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR}) {
      later.emplace(version, std::move(verdicts));
    }
  }
  if (later.empty()) return std::nullopt;
  return later.begin()->second;
}

}  // namespace

Expectation parse_expectation(const Json& json, const std::string& where) {
  check_object(json, where,
               {"verdict", "before", "values", "ulp", "rel", "raises", "path", "digest"});
  Expectation expect;
  expect.verdicts = verdict_list(json, "verdict", where);
  if (json.contains("before")) {
    if (auto older = verdicts_before(json["before"], where + ".before")) expect.verdicts = *older;
  }
  if (json.contains("values")) {
    expect.values = json["values"];
    if (expect.values.is_null()) throw InputError(where + ".values: expected values, not null");
  }
  if (json.contains("ulp")) expect.ulp = tolerance(json["ulp"], where + ".ulp");
  if (json.contains("rel")) expect.rel = tolerance(json["rel"], where + ".rel");
  if (expect.has_tolerance() && !expect.has_values()) {
    throw InputError(where + ": 'ulp' and 'rel' have no meaning without 'values'");
  }
  if (json.contains("raises")) {
    expect.raises = string_field(json, "raises", where);
    expect_error(expect, where);
  }
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
