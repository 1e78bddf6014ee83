#include "findings/trigger.hpp"

#include <algorithm>
#include <cmath>

#include "findings/draft.hpp"
#include "findings/literal.hpp"

namespace plumb {
namespace {

/// A number of the case: elements of a tensor with one value, or a scalar argument.
struct Scalar {
  std::string argument;
  Json::json_pointer at;
  Json value;
  bool is_tensor = false;
  Format format = Format::f64;
};

Json replaced(const Json& data, const Json& from, double to) {
  if (data == from) return number_to_json(to);
  if (!data.is_array()) return data;
  Json list = Json::array();
  for (const Json& item : data) list.push_back(replaced(item, from, to));
  return list;
}

bool fails_with(const Json& stored, const Scalar& scalar, std::int64_t ordinal,
                const StillFails& still_fails) {
  Json candidate = stored;
  const double to = value_at(scalar.format, ordinal);
  Json& spec = candidate[scalar.at];
  if (scalar.is_tensor) {
    spec["data"] = replaced(spec["data"], scalar.value, to);
  } else {
    spec = number_to_json(to);
  }
  return still_fails(candidate);
}

/// The last ordinal from `from` on in one direction that fails: strides that grow fourfold until
/// one does not, then bisection between the two; one attempt more may be made.
std::int64_t last_failing(std::int64_t from, std::int64_t end, int attempts,
                          const std::function<bool(std::int64_t)>& fails) {
  const std::int64_t sign = end < from ? -1 : 1;
  std::int64_t failing = from;
  std::int64_t sound = end + sign;
  for (std::int64_t stride = 1; failing != end && attempts > 0; --attempts) {
    const bool beyond = (end - failing) * sign <= stride;
    const std::int64_t next = beyond ? end : failing + sign * stride;
    if (!fails(next)) {
      sound = next;
      break;
    }
    failing = next;
    stride *= 4;
  }
  while ((sound - failing) * sign > 1 && failing != end && attempts-- > 0) {
    const std::int64_t middle = failing + (sound - failing) / 2;
    (fails(middle) ? failing : sound) = middle;
  }
  return failing;
}

/// Values other than 0 and 1 first: those are background.
std::vector<Json> numbers_of(const TensorDraft& draft) {
  std::vector<Json> telling;
  std::vector<Json> background;
  for (const Json& value : draft.values) {
    if (value.is_array() || !std::isfinite(number_of(value))) continue;
    std::vector<Json>& list = value == 0 || value == 1 ? background : telling;
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  }
  return telling.empty() ? background : telling;
}

std::vector<Scalar> scalars_of(const Json& stored) {
  std::vector<Scalar> scalars;
  for (const TensorPlace& place : tensor_places(stored)) {
    const Json& spec = stored[place.at];
    const TensorDraft draft = draft_of(spec);
    const auto format = number_format(stored, spec);
    if (!draft.is_inline || !draft.floating || !format) continue;
    for (const Json& value : numbers_of(draft)) {
      scalars.push_back({place.argument, place.at, value, true, *format});
    }
  }
  const Json args = stored.value("args", Json::object());
  for (const auto& [name, value] : args.items()) {
    if (!value.is_number_float()) continue;
    scalars.push_back({name, Json::json_pointer() / "args" / name, value, false,
                       number_format(stored, Json()).value_or(Format::f64)});
  }
  // A number that says something comes before a background of another tensor.
  std::stable_partition(scalars.begin(), scalars.end(), [](const Scalar& scalar) {
    return scalar.value != 0 && scalar.value != 1;
  });
  return scalars;
}

}  // namespace

Json to_json(const Trigger& trigger) {
  return {{"argument", trigger.argument},
          {"value", trigger.value},
          {"low", trigger.low},
          {"high", trigger.high}};
}

std::vector<Trigger> triggers_of(const Json& stored, int count, int attempts,
                                 const StillFails& still_fails, int most) {
  std::vector<Trigger> triggers;
  for (const Scalar& scalar : scalars_of(stored)) {
    if (static_cast<int>(triggers.size()) == count) break;
    const int a_side = std::min(attempts, most / 2 - 1);
    if (a_side < 1) break;
    const double value = round_to(scalar.format, number_of(scalar.value));
    const std::int64_t at = ordinal(scalar.format, value);
    const std::int64_t largest = ordinal(scalar.format, traits(scalar.format).max_finite);
    const auto fails = [&](std::int64_t n) {
      --most;
      return fails_with(stored, scalar, n, still_fails);
    };
    const auto literal = [&](std::int64_t n) {
      return number_literal(scalar.format, value_at(scalar.format, n));
    };
    const std::int64_t low = last_failing(at, -largest, a_side, fails);
    const std::int64_t high = last_failing(at, largest, a_side, fails);
    if (low == -largest && high == largest) continue;  // it does not matter
    triggers.push_back(
        {scalar.argument, number_literal(scalar.format, value), literal(low), literal(high)});
  }
  return triggers;
}

}  // namespace plumb
