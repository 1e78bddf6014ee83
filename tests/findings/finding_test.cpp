#include "findings/finding.hpp"

#include <fstream>

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

TEST(FileFindings, TheWorstOfOneCauseIsTheOneThatIsMadeSmall) {
  const fs::path out = fs::temp_directory_path() / ("plumb-worst-" + std::to_string(getpid()));
  Json half = gelu_of({-5, 1, 2, 3}), single = gelu_of({1, 2, 3, 4, 0.5, 0.25, -5.5, 7});
  half["dtype"] = "float16";
  const auto filed = file_findings(*test_zygote(), {alarm_of(half), alarm_of(single)}, {}, out);
  ASSERT_EQ(filed.size(), 2u);
  EXPECT_GT(*filed[1].row.r, *filed[0].row.r);
  EXPECT_LE(filed[0].record["evaluations"], 12);
  EXPECT_GT(filed[1].record["evaluations"], 12);
  fs::remove_all(out);
}

TEST(FileFindings, LeavesNoneOfAnEarlierRunAndNothingElseIsTouched) {
  const fs::path out = fs::temp_directory_path() / ("plumb-stale-" + std::to_string(getpid()));
  const fs::path findings = out / "findings", elsewhere = out / "elsewhere";
  const auto make = [](const fs::path& folder, const char* file) {
    fs::create_directories(folder);
    std::ofstream(folder / file) << "{}";
  };
  make(findings / "0123456789abcdef", "finding.json");
  make(findings / "fedcba9876543210", "notes.txt");
  make(findings / "my-own", "finding.json");
  make(elsewhere, "finding.json");
  fs::create_directory_symlink(elsewhere, findings / "00000000deadbeef");
  const auto filed = file_findings(*test_zygote(), {alarm_of(gelu_of({-5.5}))}, {}, out);
  EXPECT_TRUE(fs::exists(filed[0].folder / "finding.json"));
  EXPECT_FALSE(fs::exists(findings / "0123456789abcdef"));
  EXPECT_TRUE(fs::exists(findings / "fedcba9876543210/notes.txt"));
  EXPECT_TRUE(fs::exists(findings / "my-own/finding.json"));
  EXPECT_TRUE(fs::exists(findings / "00000000deadbeef/finding.json"));
  fs::remove_all(out);
}

TEST(FileFindings, OneFolderForOneFingerprintWhoseWorstAlarmCounts) {
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
