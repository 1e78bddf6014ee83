// The exact text of every report, made from the same hand-built results.

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "reports/console.hpp"
#include "reports/html_assets.hpp"
#include "reports/reporter.hpp"
#include "tests/reports/sample.hpp"

namespace plumb {
namespace {

/// Compares byte for byte with tests/golden/FILE; PLUMB_UPDATE_GOLDEN=1 rewrites the file instead.
void expect_golden(const std::string& file, const std::string& text) {
  const std::string path = std::string(PLUMB_SOURCE_DIR) + "/tests/golden/" + file;
  if (std::getenv("PLUMB_UPDATE_GOLDEN")) std::ofstream(path, std::ios::binary) << text;
  std::ifstream stream(path, std::ios::binary);
  ASSERT_TRUE(stream) << path << " is missing; PLUMB_UPDATE_GOLDEN=1 makes it";
  const std::string golden(std::istreambuf_iterator<char>(stream), {});
  EXPECT_EQ(golden, text) << "PLUMB_UPDATE_GOLDEN=1 accepts the new text of " << path;
}

std::string rendered(const char* reporter) {
  return Registry<Reporter>::instance().find(reporter)->render(testing::sample_report());
}

TEST(ReportsGolden, Json) { expect_golden("results.json", rendered("json")); }

TEST(ReportsGolden, Junit) { expect_golden("junit.xml", rendered("junit")); }

TEST(ReportsGolden, Markdown) { expect_golden("summary.md", rendered("markdown")); }

/// Style and scripts have their own files; here they are cut to their names.
TEST(ReportsGolden, Html) {
  std::string page = rendered("html");
  for (const auto& [part, name] :
       {std::pair(kHtmlCss, "(css)\n"), std::pair(kChartJs, "(chart.js)\n"),
        std::pair(kHtmlJs, "(js)\n")}) {
    const std::size_t place = page.find(part);
    ASSERT_NE(place, std::string::npos) << name;
    page.replace(place, part.size(), name);
  }
  // What scenarios say of themselves may change with them.
  const std::string start = "id=\"about\">";
  const std::size_t about = page.find(start) + start.size();
  page.replace(about, page.find("</script>", about) - about, "(about)");
  expect_golden("report.html", page);
}

TEST(ReportsGolden, Console) {
  const Report report = testing::sample_report();
  std::string text = summary(report, {.width = 110}) + "\n";
  for (const Result& result : report.results) text += result_line(result) + "\n";
  expect_golden("console.txt", text);
}

}  // namespace
}  // namespace plumb
