#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "reports/html_assets.hpp"
#include "reports/reporter.hpp"
#include "tests/reports/sample.hpp"

namespace plumb {
namespace {

std::string page_of(const Report& report) {
  return Registry<Reporter>::instance().find("html")->render(report);
}

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

/// What stands inside the script element of that id.
std::string block(const std::string& page, const std::string& id) {
  const std::string start = "<script type=\"application/json\" id=\"" + id + "\">";
  const std::size_t from = page.find(start) + start.size();
  return page.substr(from, page.find("</script>", from) - from);
}

TEST(HtmlReport, CarriesTheResultsUnchanged) {
  const Report report = testing::sample_report();
  const Json inside = Json::parse(block(page_of(report), "results"));
  EXPECT_EQ(inside.dump(-1, ' ', false, Json::error_handler_t::replace),
            to_json(report).dump(-1, ' ', false, Json::error_handler_t::replace));
}

TEST(HtmlReport, ListsEveryResultOnceWorstFirst) {
  const Report report = testing::sample_report();
  const Json rows = Json::parse(block(page_of(report), "view"))["rows"];
  ASSERT_EQ(rows.size(), report.results.size());
  EXPECT_EQ(rows[0]["status"], "not ok");
  EXPECT_EQ(report.results.at(rows[0]["index"]).verdict, Verdict::crashed);
  std::vector<std::size_t> indices;
  for (const Json& row : rows) indices.push_back(row["index"]);
  std::sort(indices.begin(), indices.end());
  for (std::size_t i = 0; i < indices.size(); ++i) EXPECT_EQ(indices[i], i);
}

TEST(HtmlReport, TextFromAProgramCannotEndTheScriptOrFillAField) {
  const Report report{{.torch = "<i>{{js}}</i>"},
                      {{.id = "x", .message = "</script><script>alert(1)</script>{{css}}<!--"}}};
  const std::string page = page_of(report);
  EXPECT_EQ(count(page, "alert(1)"), 1u);
  EXPECT_EQ(count(page, "<script>alert"), 0u);
  EXPECT_EQ(count(page, "</script>"), 5u);
  EXPECT_EQ(count(page, "{{css}}"), 1u);
  EXPECT_NE(page.find("torch &lt;i&gt;{{js}}&lt;/i&gt;"), std::string::npos);
}

TEST(HtmlReport, NeedsNoNetwork) {
  std::string page = page_of(testing::sample_report());
  page.erase(page.find(kChartJs), kChartJs.size());
  for (const char* part : {"src=", "@import", "url(", "http://", "fetch("}) {
    EXPECT_EQ(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(count(page, "https://"), 1u);  // where links to sources start
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

TEST(HtmlReport, TellsWhatItsScenariosShow) {
  const Json about = Json::parse(block(page_of(testing::sample_report()), "about"));
  ASSERT_TRUE(about.contains("clipping-disabled"));
  EXPECT_NE(about["clipping-disabled"]["about"], "");
  EXPECT_FALSE(about["clipping-disabled"]["sources"].empty());
  EXPECT_FALSE(about.contains("exp-limit"));  // a stored case
}

TEST(HtmlReport, RIsNoPraiseWhereAValueIsOfTheWrongClass) {
  const Report report{{}, {{.id = "a", .verdict = Verdict::masked, .ok = false, .r = 0.0}}};
  const Json row = Json::parse(block(page_of(report), "view"))["rows"][0];
  EXPECT_EQ(row["number"], "–");
  EXPECT_EQ(row["measured"], false);
}

TEST(HtmlReport, SaysTheSummaryWithoutAnyScript) {
  const std::string page = page_of(testing::sample_report());
  EXPECT_NE(page.find("<h1>4 of 22 results are not ok</h1>"), std::string::npos);
  EXPECT_NE(page.find("1 crashed, 1 nonfinite, 1 unstable, 1 vacuous"), std::string::npos);
  EXPECT_NE(page.find("exit 1: a result is not ok"), std::string::npos);
}

TEST(HtmlReport, EmbedsTheChartLibraryByteForByte) {
  std::ifstream file("/usr/share/javascript/chart.js/chart.min.js", std::ios::binary);
  if (!file) GTEST_SKIP() << "libjs-chart.js is not installed";
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), kChartJs);
}

}  // namespace
}  // namespace plumb
