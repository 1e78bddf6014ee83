#include "harness/result.hpp"

#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "harness/errors.hpp"
#include "harness/result_fields.hpp"

namespace plumb {
namespace {

using fields::each_field;
using fields::OrNull;
using fields::Record;

constexpr std::string_view kSchema = "plumb.results/1";

// ---- writing

template <Record T>
Json write(const T& record);

Json write(const std::string& value) { return value; }
Json write(bool value) { return value; }
Json write(int value) { return value; }
Json write(std::int64_t value) { return value; }
Json write(std::uint64_t value) { return value; }
Json write(double value) { return number_to_json(value); }
Json write(Verdict value) { return to_string(value); }
Json write(const OrNull<const std::string>& value) {
  return value.text.empty() ? Json() : Json(value.text);
}
Json write(const Cell& cell) {
  return std::visit([](const auto& value) { return write(value); }, cell);
}
template <typename T>
Json write(const std::optional<T>& value) {
  return value ? write(*value) : Json();
}
template <typename T>
Json write(const std::vector<T>& values) {
  Json array = Json::array();
  for (const T& value : values) array.push_back(write(value));
  return array;
}

template <Record T>
Json write(const T& record) {
  Json object = Json::object();
  each_field(record, [&](const char* name, const auto& value) { object[name] = write(value); });
  return object;
}

// ---- reading

/// A place in the file; the path to it is spelled out only when something is wrong there.
struct Place {
  const Json& json;
  const Place* parent = nullptr;
  std::string_view name = {};  // a key, or for the root the file
  std::size_t index = 0;       // of an array element, when name is empty

  std::string path() const {
    if (!parent) return "";
    if (name.empty()) return parent->path() + "[" + std::to_string(index) + "]";
    const std::string before = parent->path();
    return before.empty() ? std::string(name) : before + "." + std::string(name);
  }

  std::string source() const { return parent ? parent->source() : std::string(name); }

  [[noreturn]] void fail(const std::string& what) const {
    const std::string field = path();
    throw InputError(source() + ": " + (field.empty() ? "" : field + ": ") + what);
  }

  [[noreturn]] void expected(std::string_view what) const {
    std::string found = json.type_name();
    if (json.is_string() && json.get_ref<const std::string&>().size() < 40) {
      found = '"' + json.get<std::string>() + '"';
    } else if (json.is_number()) {
      found = json.dump();
    }
    fail("expected " + std::string(what) + ", found " + found);
  }
};

void read(const Place& at, std::string& value) {
  if (!at.json.is_string()) at.expected("a string");
  value = at.json.get<std::string>();
}

void read(const Place& at, OrNull<std::string> value) {
  if (at.json.is_null()) return value.text.clear();
  if (!at.json.is_string()) at.expected("a string or null");
  value.text = at.json.get<std::string>();
}

void read(const Place& at, bool& value) {
  if (!at.json.is_boolean()) at.expected("true or false");
  value = at.json.get<bool>();
}

void read(const Place& at, std::uint64_t& value) {
  if (!at.json.is_number_unsigned()) at.expected("an integer from 0 to 2^64-1");
  value = at.json.get<std::uint64_t>();
}

void read(const Place& at, std::int64_t& value) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const bool fits = at.json.is_number_unsigned() ? at.json.get<std::uint64_t>() <= kMost
                                                 : at.json.is_number_integer();
  if (!fits) at.expected("a 64-bit integer");
  value = at.json.get<std::int64_t>();
}

void read(const Place& at, int& value) {
  std::int64_t wide = 0;
  read(at, wide);
  if (wide != static_cast<int>(wide)) at.expected("a 32-bit integer");
  value = static_cast<int>(wide);
}

std::optional<double> number_from(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

void read(const Place& at, double& value) {
  const std::optional<double> number = number_from(at.json);
  if (!number) at.expected("a number, \"nan\", \"inf\" or \"-inf\"");
  value = *number;
}

void read(const Place& at, Verdict& value) {
  std::string word;
  read(at, word);
  const std::optional<Verdict> verdict = verdict_from(word);
  if (!verdict) at.expected("a verdict such as \"stable\"");
  value = *verdict;
}

/// A word for a non-finite number reads as that number; any other text stays text.
void read(const Place& at, Cell& value) {
  if (const std::optional<double> number = number_from(at.json)) {
    value = *number;
  } else if (at.json.is_string()) {
    value = at.json.get<std::string>();
  } else {
    at.expected("a number or a string");
  }
}

void read(const Place& at, Series& series);
void read(const Place& at, Table& table);
void read(const Place& at, Result& result);

template <typename T>
void read(const Place& at, std::optional<T>& value) {
  if (at.json.is_null()) return value.reset();
  read(at, value.emplace());
}

template <typename T>
void read(const Place& at, std::vector<T>& values) {
  if (!at.json.is_array()) at.expected("an array");
  values.clear();
  values.reserve(at.json.size());
  for (std::size_t i = 0; i < at.json.size(); ++i) {
    read(Place{at.json[i], &at, {}, i}, values.emplace_back());
  }
}

/// Every field of the record must be there, and nothing else.
template <Record T>
void read_fields(const Place& at, T& record) {
  if (!at.json.is_object()) at.expected("an object");
  std::unordered_set<std::string_view> known;
  each_field(record, [&](const char* name, auto&& value) {
    const auto field = at.json.find(name);
    if (field == at.json.end()) at.fail("the field \"" + std::string(name) + "\" is missing");
    known.insert(name);
    read(Place{*field, &at, name}, value);
  });
  for (const auto& [name, value] : at.json.items()) {
    if (!known.contains(name)) at.fail("unknown field \"" + name + "\"");
  }
}

void read(const Place& at, Series& series) {
  read_fields(at, series);
  if (series.x.size() != series.y.size()) at.fail("expected as many x as y");
}

void read(const Place& at, Table& table) {
  read_fields(at, table);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    if (table.rows[i].size() != table.columns.size()) {
      at.fail("row " + std::to_string(i) + ": expected one cell per column");
    }
  }
}

void read(const Place& at, Result& result) { read_fields(at, result); }

}  // namespace

Json number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_from_json(const Json& value) {
  if (const std::optional<double> number = number_from(value)) return *number;
  throw InputError("expected a number, \"nan\", \"inf\" or \"-inf\"");
}

Json to_json(const Result& result) { return write(result); }

Json to_json(const Report& report) {
  Json json;
  json["schema"] = kSchema;
  json["environment"] = write(report.environment);
  json["results"] = Json::array();
  for (const Result& result : report.results) json["results"].push_back(write(result));
  return json;
}

Result result_from_json(const Json& json, const std::string& source) {
  Result result;
  read(Place{json, nullptr, source}, result);
  return result;
}

Report report_from_json(const Json& json, const std::string& source) {
  const Place root{json, nullptr, source};
  if (!json.is_object()) root.expected("an object of schema plumb.results/1");
  // The schema first: of another one no other field can be judged.
  if (json.contains("schema") && json["schema"] != kSchema) {
    Place{json["schema"], &root, "schema"}.expected("\"plumb.results/1\"");
  }
  for (const char* name : {"schema", "environment", "results"}) {
    if (!json.contains(name)) root.fail("the field \"" + std::string(name) + "\" is missing");
  }
  for (const auto& [name, value] : json.items()) {
    if (name != "schema" && name != "environment" && name != "results") {
      root.fail("unknown field \"" + name + "\"");
    }
  }
  Report report;
  read_fields(Place{json["environment"], &root, "environment"}, report.environment);
  const Place results{json["results"], &root, "results"};
  read(results, report.results);
  std::unordered_set<std::string_view> ids;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    if (!ids.insert(report.results[i].id).second) {
      const Place result{json["results"][i], &results, {}, i};
      Place{result.json["id"], &result, "id"}.fail("an earlier result has the same id");
    }
  }
  return report;
}

}  // namespace plumb
