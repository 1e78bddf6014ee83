#include "reports/catalogue.hpp"

#include <algorithm>
#include <map>

#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/oracle.hpp"
#include "harness/relation.hpp"
#include "harness/scenario.hpp"
#include "harness/variant.hpp"
#include "reports/reporter.hpp"
#include "sweep/coverage.hpp"

namespace plumb {

extern const std::string_view kPlantedTable;  // made by the library of planted bugs

namespace {

Json entry(const std::string& name, const std::string& about,
           const std::optional<std::string>& why = std::nullopt) {
  return {{"name", name}, {"about", about}, {"available", !why}, {"why", why.value_or("")}};
}

Json arm_json(const Arm& arm) {
  Json json{{"expect", Json::array()}, {"dtypes", Json::array()}};
  for (const Verdict verdict : arm.expect) json["expect"].push_back(to_string(verdict));
  for (const c10::ScalarType dtype : arm.dtypes) json["dtypes"].push_back(dtype_name(dtype));
  return json;
}

Json scenarios() {
  Json list = Json::array();
  for (const Scenario& scenario : Registry<Scenario>::instance().all()) {
    Json json = entry(scenario.name, scenario.about);
    json["op"] = scenario.op;
    json["sources"] = scenario.sources;
    json["arms"] = Json::object();
    if (scenario.faulty.run) json["arms"]["faulty"] = arm_json(scenario.faulty);
    if (scenario.fixed.run) json["arms"]["fixed"] = arm_json(scenario.fixed);
    if (scenario.mutant.run) json["arms"]["mutant"] = arm_json(scenario.mutant);
    json["params"] = Json::array();
    for (const Parameter& p : scenario.params) {
      json["params"].push_back(
          {{"name", p.name}, {"value", number_to_json(p.value)}, {"about", p.about}});
    }
    list.push_back(std::move(json));
  }
  return list;
}

Json variants() {
  Json list = Json::array();
  const Program nothing;
  for (const Variant& variant : Registry<Variant>::instance().all()) {
    list.push_back(entry(variant.name, variant.about, variant.unavailable(nothing, at::kCPU)));
  }
  return list;
}

template <typename T>
Json plain() {
  Json list = Json::array();
  for (const T& item : Registry<T>::instance().all()) list.push_back(entry(item.name, item.about));
  return list;
}

/// The dispatcher's operator names with their overloads. Available are those that a sweep judges.
Json operators(Zygote& zygote) {
  Json list = Json::array();
  for (const auto& [name, covered] : coverage(zygote, {"*::*"})) {
    const Traits traits = traits_of(name);
    const std::optional<std::string> why =
        covered.forward ? std::nullopt : std::optional(covered.why_not);
    Json json = entry(name, traits.why, why);
    json["gradient"] = covered.gradient;
    json["overloads"] = covered.overloads;
    json["contract"] = traits.promise == Promise::exact       ? "exact"
                       : traits.promise == Promise::composite ? "composite"
                                                              : "fused";
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Json catalogue(const std::string& kind, Zygote& zygote) {
  if (kind == "scenarios") return scenarios();
  if (kind == "variants") return variants();
  if (kind == "oracles") return plain<Oracle>();
  if (kind == "relations") return plain<Relation>();
  if (kind == "reporters") return plain<Reporter>();
  if (kind == "ops") return operators(zygote);
  if (kind == "planted") return Json::parse(kPlantedTable);
  const std::vector<std::string> kinds = {"scenarios", "variants",  "oracles", "relations",
                                          "ops",       "reporters", "planted"};
  throw UsageError("there is no list of '" + kind + "'" + suggestion(kind, kinds));
}

Json scenario_notes(const Report& report) {
  Json notes = Json::object();
  for (const Result& result : report.results) {
    const Scenario* scenario = Registry<Scenario>::instance().find(result.name);
    if (scenario == nullptr || result.arm == "case") continue;
    notes[result.name] = {{"about", scenario->about}, {"sources", scenario->sources}};
  }
  return notes;
}

std::string catalogue_text(const std::string& kind, const Json& entries) {
  if (entries.empty()) return "none: this build has no " + kind + "\n";
  std::size_t width = 0;
  for (const Json& item : entries) width = std::max(width, item["name"].get<std::string>().size());
  std::string text;
  for (const Json& item : entries) {
    const auto name = item["name"].get<std::string>();
    text += name + std::string(width - name.size() + 2, ' ') + item["about"].get<std::string>();
    if (!item["available"].get<bool>())
      text += " (not here: " + item["why"].get<std::string>() + ")";
    text.erase(text.find_last_not_of(' ') + 1);  // some have nothing to say about themselves
    text += "\n";
  }
  return text;
}

}  // namespace plumb
