#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "reports/reporter.hpp"
#include "tests/reports/sample.hpp"

namespace plumb {
namespace {

const Reporter& json() { return *Registry<Reporter>::instance().find("json"); }

TEST(JsonReport, ReadsBackToTheSameBytes) {
  const std::string text = json().render(testing::sample_report());
  EXPECT_EQ(json().render(report_from_json(Json::parse(text), "results.json")), text);
}

TEST(JsonReport, HasOneResultPerLine) {
  const Report report = testing::sample_report();
  const std::string text = json().render(report);
  EXPECT_EQ(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')),
            report.results.size() + 4);
}

TEST(JsonReport, IsValidWithoutResultsAndWithBytesThatAreNotText) {
  EXPECT_TRUE(Json::accept(json().render({})));
  const std::string text = json().render({{}, {{.message = "\xff"}}});
  EXPECT_EQ(Json::parse(text)["results"][0]["message"], "\xef\xbf\xbd");
}

}  // namespace
}  // namespace plumb
