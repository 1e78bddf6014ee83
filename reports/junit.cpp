// JUnit XML: one suite per scenario or operator, one test case per result.

#include <array>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "harness/text.hpp"
#include "reports/reporter.hpp"
#include "reports/text.hpp"
#include "reports/words.hpp"

namespace plumb {
namespace {

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

/// A plain decimal, as the schema wants it.
std::string seconds(double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.6f", std::isfinite(value) ? value : 0.0);
  return buffer.data();
}

using Attributes = std::vector<std::pair<std::string_view, std::string>>;

std::string open(std::string_view tag, const Attributes& attributes) {
  std::string text = "<" + std::string(tag);
  for (const auto& [name, value] : attributes) {
    text += " " + std::string(name) + "=\"" + escape(one_line(value)) + "\"";
  }
  return text + ">";
}

/// What a person needs who sees nothing but this failure.
std::string failure_text(const Result& result) {
  std::string text;
  if (!result.message.empty()) text += result.message + "\n";
  for (const Evidence& fact : evidence(result)) text += fact.label + ": " + fact.text + "\n";
  if (!result.path.empty()) text += "path: " + joined(result.path, " > ") + "\n";
  return text + "replay: " + result.replay + "\n";
}

std::string failure_headline(const Result& result) {
  std::string text = std::string(to_string(result.verdict)) + ": ";
  if (!result.expected.empty()) text += "expected " + joined(result.expected, " or ") + "; ";
  text += result.message.empty() ? std::string(meaning(result.verdict)) : result.message;
  const std::string where = place(result);
  return where.empty() ? text : text + " (" + where + ")";
}

std::string test_case(const Result& result) {
  std::string text = "    " +
                     open("testcase", {{"classname", result.name},
                                       {"name", result.id},
                                       {"time", seconds(result.seconds + result.oracle_seconds)}}) +
                     "\n";
  if (!result.ok) {
    text += "      " +
            open("failure", {{"type", std::string(to_string(result.verdict))},
                             {"message", failure_headline(result)}}) +
            escape(failure_text(result)) + "</failure>\n";
  } else if (status(result) == Status::not_judged) {
    const std::string reason =
        result.message.empty() ? std::string(meaning(result.verdict)) : result.message;
    text += "      " + open("skipped", {{"message", reason}}) + "</skipped>\n";
  }
  return text + "      <system-out>" + escape("replay: " + result.replay) +
         "</system-out>\n    </testcase>\n";
}

struct Suite {
  std::string name;
  std::vector<const Result*> results;
};

/// In the order in which the names first appear.
std::vector<Suite> suites_of(const Report& report) {
  std::vector<Suite> suites;
  for (const Result& result : report.results) {
    auto suite = suites.begin();
    while (suite != suites.end() && suite->name != result.name) ++suite;
    if (suite == suites.end()) suite = suites.insert(suites.end(), {result.name, {}});
    suite->results.push_back(&result);
  }
  return suites;
}

Attributes totals(const std::string& name, const std::vector<const Result*>& results) {
  int failures = 0, skipped = 0;
  double time = 0;
  for (const Result* result : results) {
    failures += status(*result) == Status::not_ok;
    skipped += status(*result) == Status::not_judged;
    time += result->seconds + result->oracle_seconds;
  }
  return {{"name", name},
          {"tests", std::to_string(results.size())},
          {"failures", std::to_string(failures)},
          {"errors", "0"},
          {"skipped", std::to_string(skipped)},
          {"time", seconds(time)}};
}

std::string render(const Report& report) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
                     open("testsuites", totals("plumbline", by_urgency(report))) + "\n";
  for (const Suite& suite : suites_of(report)) {
    Attributes attributes = totals(suite.name, suite.results);
    if (!report.environment.time.empty()) {
      attributes.emplace_back("timestamp", report.environment.time);
    }
    text += "  " + open("testsuite", attributes) + "\n    <properties>\n      " +
            open("property",
                 {{"name", "environment"}, {"value", environment_line(report.environment)}}) +
            "</property>\n    </properties>\n";
    for (const Result* result : suite.results) text += test_case(*result);
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

const Register<Reporter> registered{{.name = "junit",
                                     .about = "test cases, for a CI server",
                                     .file = "junit.xml",
                                     .render = render}};

}  // namespace
}  // namespace plumb
