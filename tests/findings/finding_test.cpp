#include "findings/finding.hpp"

#include <gtest/gtest.h>

#include "findings/failure.hpp"
#include "harness/case.hpp"
#include "harness/run.hpp"
#include "tests/findings/fake_case.hpp"
#include "tests/workers.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

Json gelu_of(const Json& data) {
  return {{"schema", "plumb.case/1"},
          {"op", "aten::gelu"},
          {"dtype", "float32"},
          {"args", {{"self", {{"data", data}}}}}};
}

Alarm alarm_of(const Json& stored) {
  return {stored, "test", run_case(case_from_json(stored, "test"))};
}

TEST(FindingRecord, SaysWhatFailsHowLargeItWasAndWhereItWasSeen) {
  const Alarm alarm = alarm_of(gelu_of({1, -5.5}));
  const Reduced reduced = reduce(*test_zygote(), {alarm}, {}).front();
  const Json record = finding_record(alarm, reduced);
  EXPECT_EQ(record["schema"], "plumb.finding/1");
  EXPECT_EQ(record["fingerprint"], fingerprint(alarm.row));
  EXPECT_EQ(record["verdict"], "unstable");
  EXPECT_EQ(record["size"]["elements"], 1);
  EXPECT_EQ(record["original_size"], (Json{{"elements", 2}, {"distinct", 2}, {"bits", 4}}));
  EXPECT_EQ(record["trigger"].size(), 1u);
  EXPECT_TRUE(record["documented"].is_null());
  EXPECT_FALSE(record["environment"]["torch"].get<std::string>().empty());
}

TEST(FindingRecord, KeepsWhereTorchAcceptsIt) {
  Json stored = gelu_of({-5.5});
  stored["tags"] = {"documented: in the notes"};
  const Alarm alarm = alarm_of(stored);
  EXPECT_EQ(finding_record(alarm, reduce(*test_zygote(), {alarm}, {}).front())["documented"],
            "documented: in the notes");
}

TEST(FileFindings, OneFolderForOneFingerprintWhoseFirstAlarmCounts) {
  const fs::path out = fs::temp_directory_path() / ("plumb-filed-" + std::to_string(getpid()));
  const auto filed =
      file_findings(*test_zygote(), {alarm_of(gelu_of({1, -5.5})), alarm_of(gelu_of({-5, 2, 3}))},
                    {.jobs = 2}, out);
  ASSERT_EQ(filed.size(), 2u);
  EXPECT_EQ(filed[0].folder, filed[1].folder);
  EXPECT_EQ(filed[0].row.digest, filed[1].row.digest);
  EXPECT_EQ(filed[0].row.replay, "plumb replay " + filed[0].folder.string());
  EXPECT_EQ(std::distance(fs::directory_iterator(out / "findings"), fs::directory_iterator()), 1);
  fs::remove_all(out);
}

}  // namespace
}  // namespace plumb
