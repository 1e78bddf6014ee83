#include "findings/cause.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "harness/json_fields.hpp"

namespace plumb {
namespace {

struct Interval {
  double low = 0;
  double high = 0;

  bool meets(const Interval& other) const { return low <= other.high && other.low <= high; }
};

/// What two findings of one cause share, and between which numbers each fails.
struct Symptom {
  std::string what;
  std::string dtype;
  std::map<std::string, std::vector<Interval>> triggers;  // by argument
};

double number(const Json& json) { return parse_number(json, "trigger"); }

Symptom symptom_of(const Json& record) {
  const bool is_backward = record.at("where").get<std::string>().starts_with("grad:");
  Symptom symptom;
  for (const char* field : {"op", "variant", "device", "kind", "relation"}) {
    symptom.what += record.at(field).dump() + "|";
  }
  symptom.what += is_backward ? "backward" : "forward";
  symptom.dtype = record.at("dtype");
  for (const Json& trigger : record.at("trigger")) {
    symptom.triggers[trigger.at("argument")].push_back(
        {number(trigger.at("low")), number(trigger.at("high"))});
  }
  return symptom;
}

bool any_meet(const std::vector<Interval>& some, const std::vector<Interval>& others) {
  return std::ranges::any_of(some, [&](const Interval& one) {
    return std::ranges::any_of(others, [&](const Interval& other) { return one.meets(other); });
  });
}

bool of_one_cause(const Symptom& a, const Symptom& b) {
  if (a.what != b.what || a.triggers.size() != b.triggers.size()) return false;
  return std::ranges::all_of(a.triggers, [&](const auto& trigger) {
    const auto found = b.triggers.find(trigger.first);
    if (found == b.triggers.end()) return false;
    return a.dtype != b.dtype || any_meet(trigger.second, found->second);
  });
}

}  // namespace

std::vector<std::size_t> causes_of(const std::vector<Json>& records) {
  std::vector<Symptom> symptoms;
  symptoms.reserve(records.size());
  for (const Json& record : records) symptoms.push_back(symptom_of(record));
  std::vector<std::size_t> causes(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    causes[i] = i;
    for (std::size_t first = 0; first < i && causes[i] == i; ++first) {
      if (causes[first] == first && of_one_cause(symptoms[first], symptoms[i])) causes[i] = first;
    }
  }
  return causes;
}

}  // namespace plumb
