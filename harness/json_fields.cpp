#include "harness/json_fields.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>

#include "harness/errors.hpp"

namespace plumb {
namespace {

// A tensor of 16 dimensions in a list of a step of a case is 22 deep.
constexpr int kDeepest = 64;
constexpr std::size_t kLargestFile = std::size_t{1} << 30;

std::string text_of(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InputError(path + ": expected a JSON file, not a folder");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(path + ": cannot be read; expected a JSON file");
  std::string text;
  std::vector<char> chunk(1 << 16);
  // A pipe has no size to ask for, so the limit is kept on the way.
  while (file.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), file.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > kLargestFile) {
      throw InputError(path + ": expected a JSON file of at most 1 GiB");
    }
  }
  return text;
}

}  // namespace

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
                   excerpt(json));
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
  const bool wraps = json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX;
  if (json.is_number_integer() && !wraps) return json.get<std::int64_t>();
  throw InputError(where + ": expected an integer" + (wraps ? " up to 2^63-1" : "") + ", not " +
                   excerpt(json));
}

std::uint64_t natural(const Json& json, const std::string& where) {
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  throw InputError(where + ": expected an integer from 0 to 2^64-1, not " + excerpt(json));
}

std::string excerpt(const Json& json) {
  if (json.is_structured()) return std::string("an ") + json.type_name();
  if (json.is_string()) return quote_name(json.get_ref<const std::string&>());
  return json.dump();
}

namespace {

/// Looks at a text before it becomes a tree. (The parser's own callback looks through the whole of
/// a list again at the end of each object in it.)
class Screen : public nlohmann::json_sax<Json> {
 public:
  explicit Screen(const std::string& where) : where_(where) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    open();
    keys_[depth_].clear();
    return true;
  }
  bool start_array(std::size_t) override {
    open();
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    if (keys_[depth_].insert(name).second) return true;
    throw InputError(where_ + ": the key " + quote_name(name) + " stands twice in one object");
  }

  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::detail::exception& error) override {
    constexpr int kNumberTooLarge = 406;
    if (error.id == kNumberTooLarge) {
      throw InputError(where_ +
                       ": expected numbers that float64 can hold; infinity is written \"inf\"");
    }
    throw InputError(where_ + ": broken JSON at byte " + std::to_string(byte));
  }

 private:
  void open() {
    if (++depth_ <= kDeepest) return;
    throw InputError(where_ + ": expected JSON that is nested at most " + std::to_string(kDeepest) +
                     " deep");
  }
  bool close() {
    --depth_;
    return true;
  }

  const std::string& where_;
  std::size_t depth_ = 0;
  std::vector<std::set<std::string>> keys_{kDeepest + 1};  // of the objects that are open
};

}  // namespace

Json parse_json(std::string_view text, const std::string& where) {
  Screen screen(where);
  Json::sax_parse(text, &screen);
  return Json::parse(text);
}

Json read_json_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  const bool is_special = std::filesystem::exists(status) &&
                          !std::filesystem::is_regular_file(status) &&
                          !std::filesystem::is_directory(status);
  if (is_special) throw InputError(path + ": expected a regular file, not a pipe or device");
  return parse_json(text_of(path), path);
}

}  // namespace plumb
