// One self-contained page for people. The summary is plain HTML; the rest is built by html_page.js
// from three JSON blocks, so that thousands of results stay quick to filter.

#include <map>
#include <string_view>

#include "reports/catalogue.hpp"
#include "reports/html_assets.hpp"
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

/// JSON that cannot end the script element it stands in: "<" occurs only inside strings.
std::string script_json(const Json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

std::string tallies_html(const Report& report) {
  std::string out;
  for (const Tally& tally : tallies(report)) {
    std::string name(to_string(tally.status));
    std::string css_class = name;
    if (const std::size_t space = css_class.find(' '); space != std::string::npos) {
      css_class[space] = '-';
    }
    out += "<div class=\"" + css_class + "\"><dt>" + name + "</dt><dd class=\"count\">" +
           std::to_string(tally.count) + "</dd><dd>" + tally.verdicts + "</dd></div>\n";
  }
  return out;
}

/// What the page shows beside the results themselves: the order of the rows and their words.
Json view_of(const Report& report) {
  Json view;
  view["verdicts"] = kVerdictNames;
  for (const std::string_view name : kVerdictNames) {
    view["meanings"][std::string(name)] = meaning(*verdict_from(name));
  }
  view["rows"] = Json::array();
  std::map<const Result*, std::size_t> group_of;
  const std::vector<Group> groups = by_cause(report);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const Result* result : groups[i]) group_of.emplace(result, i);
  }
  for (const Result* result : by_urgency(report)) {
    Json row;
    row["index"] = result - report.results.data();
    row["status"] = to_string(status(*result));
    row["what"] = name_and_arm(*result);
    row["place"] = place(*result);
    row["number"] = r_text(*result);
    row["measured"] = r_counts(*result);
    row["decisive"] = r_decides(*result);
    row["group"] = group_of.at(result);
    row["evidence"] = Json::array();
    for (const Evidence& fact : evidence(*result)) {
      row["evidence"].push_back(Json::array({fact.label, fact.text}));
    }
    view["rows"].push_back(std::move(row));
  }
  return view;
}

/// Replaces each {{name}} of the template in one pass, so that data is never taken for a field.
std::string filled(std::string_view page, const std::map<std::string_view, std::string>& fields) {
  std::string out;
  while (true) {
    const std::size_t start = page.find("{{");
    const std::size_t end = page.find("}}", start);
    out += page.substr(0, start);
    if (end == std::string_view::npos) return out;
    out += fields.at(page.substr(start + 2, end - start - 2));
    page.remove_prefix(end + 2);
  }
}

std::string render(const Report& report) {
  return filled(kHtmlPage, {{"headline", escape(headline(report))},
                            {"tallies", tallies_html(report)},
                            {"exit", escape(exit_meaning(report))},
                            {"environment", escape(environment_line(report.environment))},
                            {"results", script_json(to_json(report))},
                            {"view", script_json(view_of(report))},
                            {"about", script_json(scenario_notes(report))},
                            {"css", std::string(kHtmlCss)},
                            {"chart", std::string(kChartJs)},
                            {"js", std::string(kHtmlJs)}});
}

const Register<Reporter> registered{{.name = "html",
                                     .about = "one page for people, without network",
                                     .file = "report.html",
                                     .render = render}};

}  // namespace
}  // namespace plumb
