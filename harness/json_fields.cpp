#include "harness/json_fields.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "harness/errors.hpp"

namespace plumb {

void check_object(const Json& json, const std::string& where,
                  const std::vector<std::string>& allowed) {
  if (!json.is_object()) throw InputError(where + ": expected an object, not " + json.type_name());
  for (const auto& [key, value] : json.items()) {
    if (std::find(allowed.begin(), allowed.end(), key) != allowed.end()) continue;
    throw InputError(where + ": unknown key '" + key + "'" + suggestion(key, allowed));
  }
}

double parse_number(const Json& json, const std::string& where) {
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) {
    const auto text = json.get<std::string>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-inf") return -std::numeric_limits<double>::infinity();
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool hexadecimal = text.find("0x") != std::string::npos;
    if (hexadecimal && end == text.c_str() + text.size()) return value;
  }
  throw InputError(where + ": expected a number, \"nan\", \"inf\", \"-inf\" or a hex float, not " +
                   json.dump().substr(0, 60));
}

std::string string_field(const Json& json, const std::string& key, const std::string& where) {
  const auto found = json.find(key);
  if (found == json.end()) throw InputError(where + ": the key '" + key + "' is missing");
  if (!found->is_string()) {
    throw InputError(where + "." + key + ": expected a string, not " + found->type_name());
  }
  return found->get<std::string>();
}

std::vector<std::string> string_list(const Json& json, const std::string& key,
                                     const std::string& where) {
  const auto found = json.find(key);
  if (found == json.end()) return {};
  if (found->is_string()) return {found->get<std::string>()};
  if (!found->is_array()) {
    throw InputError(where + "." + key + ": expected a list of strings, not " + found->type_name());
  }
  std::vector<std::string> list;
  for (const Json& item : *found) {
    if (!item.is_string()) {
      throw InputError(where + "." + key + ": expected a list of strings, found " +
                       item.type_name());
    }
    list.push_back(item.get<std::string>());
  }
  return list;
}

std::int64_t integer(const Json& json, const std::string& where) {
  if (!json.is_number_integer()) {
    throw InputError(where + ": expected an integer, not " + json.dump().substr(0, 60));
  }
  return json.get<std::int64_t>();
}

Json read_json_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": cannot be read; expected a JSON file");
  std::stringstream text;
  text << file.rdbuf();
  try {
    return Json::parse(text.str());
  } catch (const Json::parse_error& error) {
    throw InputError(path + ": broken JSON at byte " + std::to_string(error.byte));
  }
}

}  // namespace plumb
