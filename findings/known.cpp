#include "findings/known.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "findings/failure.hpp"
#include "harness/errors.hpp"
#include "harness/json_fields.hpp"
#include "harness/text.hpp"

namespace plumb {
namespace {

using std::chrono::year_month_day;

constexpr std::string_view kTag = "fingerprint: ";

/// "2027-06-30".
year_month_day date_from(const std::string& text, const std::string& where) {
  const auto part = [&](std::size_t begin, std::size_t length) {
    int number = -1;
    const char* first = text.data() + begin;
    const auto [end, error] = std::from_chars(first, first + length, number);
    return error == std::errc() && end == first + length ? number : -1;
  };
  if (text.size() == 10 && text[4] == '-' && text[7] == '-') {
    const int year = part(0, 4), month = part(5, 2), day = part(8, 2);
    const year_month_day date{std::chrono::year(year),
                              std::chrono::month(static_cast<unsigned>(month)),
                              std::chrono::day(static_cast<unsigned>(day))};
    if (year >= 0 && month >= 0 && day >= 0 && date.ok()) return date;
  }
  throw InputError(where + ": expected a day such as \"2027-06-30\", found \"" + text + "\"");
}

std::string in_words(const year_month_day& date) {
  char text[16];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  return text;
}

}  // namespace

KnownIssues::KnownIssues(const std::string& file) {
  const Json json = read_json_file(file);
  check_object(json, file, {"schema", "known"});
  if (string_field(json, "schema", file) != "plumb.known/1") {
    throw InputError(file + ": schema: expected \"plumb.known/1\"");
  }
  if (!json.contains("known") || !json["known"].is_array()) {
    throw InputError(file + ": known: expected an array of known issues");
  }
  for (std::size_t i = 0; i < json["known"].size(); ++i) {
    const Json& entry = json["known"][i];
    const std::string where = file + ": known[" + std::to_string(i) + "]";
    check_object(entry, where, {"fingerprint", "reason", "expires"});
    const std::string name = string_field(entry, "fingerprint", where);
    if (!is_fingerprint(name)) {
      throw InputError(
          joined({where, ".fingerprint: expected 16 hexadecimal digits in lower case, found \"",
                  name, "\""},
                 ""));
    }
    Issue issue{.reason = string_field(entry, "reason", where),
                .last_day = date_from(string_field(entry, "expires", where), where + ".expires")};
    if (issue.reason.empty()) {
      throw InputError(where + ".reason: expected why this is no news, such as an issue's address");
    }
    if (!issues_.emplace(name, std::move(issue)).second) {
      throw InputError(joined({where, ".fingerprint: ", name, " is there twice"}, ""));
    }
  }
}

void KnownIssues::mark(Result& row, std::chrono::sys_days today) const {
  if (row.ok) return;
  // That of a finding was taken before its message became a sentence about the call.
  std::string name = fingerprint_of(row);
  if (name.empty()) {
    name = fingerprint(row);
    row.tags.push_back(fingerprint_tag(name));
  }
  const auto known = issues_.find(name);
  if (known == issues_.end()) return;
  const Issue& issue = known->second;
  if (std::chrono::sys_days(issue.last_day) < today) {
    if (!row.message.empty()) row.message += "; ";
    row.message.append("was known until ").append(in_words(issue.last_day));
    row.message.append(": ").append(issue.reason);
    return;
  }
  row.tags.push_back(joined({"known until", in_words(issue.last_day) + ":", issue.reason}, " "));
  row.expected = {std::string(to_string(row.verdict))};
  row.ok = true;
}

std::string fingerprint_tag(const std::string& fingerprint) {
  return std::string(kTag) + fingerprint;
}

std::string fingerprint_of(const Result& row) {
  for (const std::string& tag : row.tags) {
    if (tag.starts_with(kTag)) return tag.substr(kTag.size());
  }
  return "";
}

std::chrono::sys_days today() {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

}  // namespace plumb
