#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "findings/draft.hpp"
#include "findings/literal.hpp"
#include "findings/passes.hpp"

namespace plumb {
namespace {

constexpr std::array kBits = {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40};
constexpr int kOrdinaryExponent = 10;
constexpr std::size_t kMostDistinct = 12;  // values of a tensor that are worth a try each

/// Numbers of a case that change together: all elements of a tensor with one value, or a scalar.
struct NumberPlace {
  Json::json_pointer at;
  bool is_tensor = false;
  bool is_integer = false;
  std::optional<Format> format;
  Json value;
};

Json replaced(const Json& data, const Json& from, const Json& to) {
  if (data == from && data.type() == from.type()) return to;
  if (!data.is_array()) return data;
  Json list = Json::array();
  for (const Json& item : data) list.push_back(replaced(item, from, to));
  return list;
}

bool try_number(Search& search, NumberPlace& place, const Json& to) {
  if (to == place.value) return false;
  Json candidate = search.best();
  Json& spec = candidate[place.at];
  if (place.is_tensor) {
    spec["data"] = replaced(spec["data"], place.value, to);
  } else {
    spec = to;
  }
  if (!search.attempt(std::move(candidate))) return false;
  place.value = to;
  return true;
}

bool try_number(Search& search, NumberPlace& place, double to) {
  if (place.format) to = round_to(*place.format, to);
  if (!std::isfinite(to) || to == number_of(place.value)) return false;
  return try_number(search, place, number_literal(place.format, to));
}

void fewer_bits(Search& search, NumberPlace& place) {
  const double value = number_of(place.value);
  for (const int bits : kBits) {
    if (bits >= significant_bits(value)) return;
    if (try_number(search, place, with_bits(value, bits))) return;
  }
}

/// Of numbers that nobody writes without an exponent: a multiple of 4.
void simple_exponent(Search& search, NumberPlace& place) {
  const double value = number_of(place.value);
  const int exponent = std::ilogb(value);
  if (std::abs(exponent) <= kOrdinaryExponent) return;
  const double significand = std::ldexp(value, -exponent);
  if (try_number(search, place, significand)) return;
  const int nearest = static_cast<int>(std::lround(exponent / 4.0)) * 4;
  if (nearest != exponent) try_number(search, place, std::ldexp(significand, nearest));
}

/// Where it saves some digits: 7e19 for 73786976294838206464, but not 88.7 for 88.75, which has
/// fewer bits.
void short_decimal(Search& search, NumberPlace& place) {
  const std::string before = place.value.dump();
  for (int digits = 1; digits <= 6; ++digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits, number_of(place.value));
    double to = std::strtod(text, nullptr);
    if (place.format) to = round_to(*place.format, to);
    if (number_literal(place.format, to).dump().size() + 2 >= before.size()) continue;
    if (try_number(search, place, to)) return;
  }
}

void smaller_integer(Search& search, NumberPlace& place) {
  for (const int simple : {0, 1}) {
    if (try_number(search, place, Json(simple))) return;
  }
  while (try_number(search, place, Json(place.value.get<std::int64_t>() / 2))) {
  }
}

void simplify(Search& search, NumberPlace place) {
  if (place.is_integer) return smaller_integer(search, place);
  const double value = number_of(place.value);
  if (value == 0 || !std::isfinite(value)) return;
  fewer_bits(search, place);
  simple_exponent(search, place);
  short_decimal(search, place);
}

/// All numbers of a tensor at once: one attempt where each alone would be hundreds.
void fewer_bits_everywhere(Search& search, const TensorPlace& place) {
  for (const int bits : kBits) {
    Json candidate = search.best();
    const auto format = number_format(candidate, candidate[place.at]);
    TensorDraft draft = draft_of(candidate[place.at]);
    for (Json& value : draft.values) {
      if (value.is_array()) return;
      value = number_literal(format, with_bits(number_of(value), bits));
    }
    candidate[place.at] = spec_of(draft);
    if (candidate == search.best() || search.attempt(std::move(candidate))) return;
  }
}

void simplify_tensor(Search& search, const TensorPlace& place) {
  TensorDraft draft = draft_of(search.best()[place.at]);
  const bool is_bool = draft.rest.value("dtype", "") == "bool";
  if (!draft.is_inline || draft.values.empty() || draft.values[0].is_array() || is_bool) return;
  if (draft.floating) fewer_bits_everywhere(search, place);
  draft = draft_of(search.best()[place.at]);
  std::vector<Json> distinct;
  for (const Json& value : draft.values) {
    if (std::find(distinct.begin(), distinct.end(), value) == distinct.end()) {
      distinct.push_back(value);
    }
    if (distinct.size() > kMostDistinct) return;
  }
  for (const Json& value : distinct) {
    simplify(search, {place.at, true, !draft.floating,
                      number_format(search.best(), search.best()[place.at]), value});
  }
}

void simplify_scalars(Search& search, const Json::json_pointer& args) {
  if (!search.best().contains(args)) return;
  std::vector<std::string> names;
  for (const auto& [name, value] : search.best()[args].items()) {
    if (value.is_number_float()) names.push_back(name);
  }
  for (const std::string& name : names) {
    const Json::json_pointer at = args / name;
    simplify(search, {at, false, false, number_format(search.best(), Json()), search.best()[at]});
  }
}

}  // namespace

void simple_numbers(Search& search) {
  for (const TensorPlace& place : tensor_places(search.best())) simplify_tensor(search, place);
  const Json::json_pointer root;
  simplify_scalars(search, root / "args");
  const std::size_t steps = search.best().contains("steps") ? search.best()["steps"].size() : 0;
  for (std::size_t i = 0; i < steps; ++i) simplify_scalars(search, root / "steps" / i / "args");
}

}  // namespace plumb
