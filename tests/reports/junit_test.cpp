#include <string>

#include <gtest/gtest.h>
#include <pugixml.hpp>

#include "reports/reporter.hpp"
#include "tests/reports/sample.hpp"

namespace plumb {
namespace {

class JunitReport : public ::testing::Test {
 protected:
  void parse(const Report& report) {
    const std::string text = Registry<Reporter>::instance().find("junit")->render(report);
    const pugi::xml_parse_result parsed = document_.load_string(text.c_str(), pugi::parse_full);
    ASSERT_TRUE(parsed) << parsed.description() << " at byte " << parsed.offset;
  }

  /// The test case of that id.
  pugi::xml_node test_case(const std::string& id) const {
    for (const pugi::xpath_node found : document_.select_nodes("//testcase")) {
      if (found.node().attribute("name").value() == id) return found.node();
    }
    return {};
  }

  double count(const char* xpath) const {
    return pugi::xpath_query(xpath).evaluate_number(document_);
  }

  pugi::xml_document document_;
};

TEST_F(JunitReport, HasASuitePerNameAndACasePerResult) {
  const Report report = testing::sample_report();
  parse(report);
  EXPECT_EQ(count("count(//testcase)"), static_cast<double>(report.results.size()));
  EXPECT_EQ(count("count(//testsuite[@name='smollm2-half'])"), 1);
  EXPECT_EQ(count("count(//testsuite[@name='smollm2-half']/testcase)"), 2);
  for (const Result& result : report.results) EXPECT_TRUE(test_case(result.id)) << result.id;
}

TEST_F(JunitReport, ItsTotalsAreWhatItHolds) {
  parse(testing::sample_report());
  for (const char* total : {"tests", "failures", "skipped"}) {
    const std::string attribute = std::string("@") + total;
    EXPECT_EQ(count(("number(/testsuites/" + attribute + ")").c_str()),
              count(("sum(//testsuite/" + attribute + ")").c_str()));
  }
  EXPECT_EQ(count("number(/testsuites/@tests)"), count("count(//testcase)"));
  EXPECT_EQ(count("number(/testsuites/@failures)"), count("count(//failure)"));
  EXPECT_EQ(count("number(/testsuites/@skipped)"), count("count(//skipped)"));
  EXPECT_EQ(count("count(//failure)"), 4);
}

TEST_F(JunitReport, AFailureCarriesMessageEvidenceAndReplay) {
  const Report report = testing::sample_report();
  parse(report);
  for (const Result& result : report.results) {
    const pugi::xml_node failure = test_case(result.id).child("failure");
    EXPECT_EQ(static_cast<bool>(failure), !result.ok) << result.id;
    if (result.ok) continue;
    const std::string text = failure.text().get();
    EXPECT_EQ(std::string(failure.attribute("type").value()), to_string(result.verdict));
    EXPECT_NE(text.find(meaning(result.verdict)), std::string::npos);
    EXPECT_NE(text.find("replay: " + result.replay), std::string::npos);
  }
}

TEST_F(JunitReport, TextComesBackAsItWas) {
  parse({{},
         {{.id = "a\"<&>'b",
           .verdict = Verdict::unstable,
           .ok = false,
           .message = "]]> & <x>\n\x01\xff",
           .replay = "plumb run 'a  b'"}}});
  const pugi::xml_node node = test_case("a\"<&>'b");
  ASSERT_TRUE(node);
  EXPECT_EQ(std::string(node.child("failure").text().get()).substr(0, 18), "]]> & <x>\n\\x01\\xff");
  EXPECT_STREQ(node.child("system-out").text().get(), "replay: plumb run 'a  b'");
}

TEST_F(JunitReport, SkippedSaysWhy) {
  parse({{},
         {{.id = "a", .verdict = Verdict::skipped, .message = "no CUDA device"},
          {.id = "b", .verdict = Verdict::unsupported}}});
  EXPECT_STREQ(test_case("a").child("skipped").attribute("message").value(), "no CUDA device");
  EXPECT_STREQ(test_case("b").child("skipped").attribute("message").value(),
               "nothing can judge it");
}

TEST_F(JunitReport, IsValidWithoutResults) {
  parse({});
  EXPECT_EQ(count("number(/testsuites/@tests)"), 0);
}

}  // namespace
}  // namespace plumb
