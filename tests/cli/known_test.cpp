// --known FILE: failures that do not count in the exit code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using nlohmann::json;
using testing::HasSubstr;

/// log(softmax) of a wide row is −inf in float, −200 in truth.
class Known : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("x.json", R"({"schema":"plumb.case/1","inputs":{"x":{"data":[[200,0]]}},
        "steps":[{"op":"aten::softmax.int","args":{"self":"$x","dim":-1},"out":"y"},
                 {"op":"aten::log","args":{"self":"$y"},"out":"z"}]})");
  }

  json row(const std::string& flags, int status) const {
    const Finished run = run_in(folder_.path(), "plumb check x.json --json " + flags);
    EXPECT_EQ(run.status, status) << run.err;
    return json::parse(run.out)["results"][0];
  }

  void write_known(const std::string& fingerprint, const std::string& expires) const {
    folder_.write("known.json", R"({"schema":"plumb.known/1","known":[{"fingerprint":")" +
                                    fingerprint + R"(","reason":"issue 7","expires":")" + expires +
                                    "\"}]}");
  }

  static std::string fingerprint_of(const json& row) {
    for (const std::string tag : row["tags"]) {
      if (tag.starts_with("fingerprint: ")) return tag.substr(13);
    }
    ADD_FAILURE() << row;
    return "";
  }

  ScratchFolder folder_;
};

TEST_F(Known, AFailureDoesNotCountUntilItsEnd) {
  const json news = row("", 1);
  EXPECT_EQ(news["verdict"], "nonfinite");
  write_known(fingerprint_of(news), "2999-12-31");
  const json known = row("--known known.json", 0);
  EXPECT_EQ(known["verdict"], "nonfinite");
  EXPECT_TRUE(known["ok"]);
  EXPECT_EQ(fingerprint_of(known), fingerprint_of(news));
  EXPECT_EQ(known["id"], news["id"]);
  EXPECT_THAT(run_in(folder_.path(), "plumb check x.json --known known.json").out,
              HasSubstr("as expected"));
  write_known(fingerprint_of(news), "2020-12-31");
  EXPECT_THAT(row("--known known.json", 1)["message"].get<std::string>(),
              HasSubstr("was known until 2020-12-31: issue 7"));
}

TEST_F(Known, AFileThatIsNoneIsRefusedBeforeTheWork) {
  folder_.write("known.json", R"({"schema":"plumb.known/1","known":[{"fingerprint":"12"}]})");
  expect_refused(folder_, "plumb check x.json --known known.json",
                 {"known.json: known[0].fingerprint", "16"});
  expect_refused(folder_, "plumb check x.json --known nosuch.json", {"nosuch.json"});
  expect_refused(folder_, "plumb check x.json --known ''", {"--known"});
}

}  // namespace
}  // namespace plumb
