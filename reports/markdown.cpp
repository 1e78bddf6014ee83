// Markdown for the page of a CI job: what is wrong, what was shown as expected, how to replay it.

#include <algorithm>
#include <cctype>

#include "reports/reporter.hpp"
#include "reports/text.hpp"
#include "reports/words.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostRows = 50;  // CI servers cut long pages

/// Running text in a table cell.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : one_line(text)) {
    if (std::string_view("\\`*_[]<>|~#&").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// A name as it is written, in a table cell. Inside code nothing but the bar can be escaped.
std::string code(const std::string& text) {
  std::string out;
  for (const char c : one_line(text)) {
    if (c == '|') out += '\\';
    out += c == '`' ? '\'' : c;
  }
  return out.empty() ? "" : "`" + out + "`";
}

/// The most urgent result speaks for its group.
std::string row(const Group& group) {
  const Result& result = *group.front();
  const std::string dtypes = group.size() > 1 ? dtypes_of(group) : result.dtype;
  const std::string how = result.variant == "eager" ? dtypes : result.variant + " " + dtypes;
  return "| " + std::string(to_string(result.verdict)) + " | " + code(name_and_arm(result)) +
         " | " + code(result.op) + " | " + plain(how + " " + result.device) + " | " +
         std::to_string(group.size()) + " | " + r_text(result) + " | " + plain(place(result)) +
         " | " + plain(result.message) + " |\n";
}

/// A fence longer than any run of backticks inside, so that the text cannot end it.
std::string fenced(const std::string& text) {
  std::size_t run = 0, longest = 2;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "sh\n" + text + fence + "\n";
}

std::string section(const std::string& title, const std::vector<Group>& groups) {
  if (groups.empty()) return "";
  std::string text =
      "\n## " + title +
      "\n\n| verdict | what | operator | how | results | worst r | where | message |\n"
      "|---|---|---|---|---:|---:|---|---|\n";
  std::string replay;
  const std::size_t shown = std::min(groups.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) {
    text += row(groups[i]);
    const std::string& line = groups[i].front()->replay;
    if (!line.empty()) replay += printable(line) + "\n";
  }
  if (shown < groups.size()) {
    text += "\nand " + std::to_string(groups.size() - shown) + " more, in report.html.\n";
  }
  return replay.empty()
             ? text
             : text + "\nReplay, in the same order (`source build/env` puts plumb on the PATH):\n" +
                   fenced(replay);
}

std::string render(const Report& report) {
  std::string text =
      "# Plumbline: " + headline(report) + "\n\n| | results | verdicts |\n|---|---:|---|\n";
  for (const Tally& tally : tallies(report)) {
    text += "| " + std::string(to_string(tally.status)) + " | " + std::to_string(tally.count) +
            " | " + tally.verdicts + " |\n";
  }
  text += "\n" + plain(environment_line(report.environment)) + "\n";
  std::vector<Group> bad, expected;
  for (const Group& group : by_cause(report)) {
    if (status(*group.front()) == Status::not_ok) bad.push_back(group);
    if (status(*group.front()) == Status::as_expected) expected.push_back(group);
  }
  return text + section("Not ok", bad) + section("Failures shown as expected", expected);
}

const Register<Reporter> registered{{.name = "markdown",
                                     .about = "a summary, for the page of a CI job",
                                     .file = "summary.md",
                                     .render = render}};

}  // namespace
}  // namespace plumb
