#include "fuzz/shard.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/errors.hpp"

namespace plumb {
namespace {

using Environment = std::map<std::string, std::string>;

/// "2/8", or what was refused.
std::string shard(const std::string& text, const Environment& environment = {}) {
  try {
    const Shard got = shard_from(text, [&](const char* name) {
      const auto found = environment.find(name);
      return found == environment.end() ? nullptr : found->second.c_str();
    });
    return std::to_string(got.index) + "/" + std::to_string(got.count);
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Shard, IsWhatAPersonGave) {
  EXPECT_EQ(shard("0/1"), "0/1");
  EXPECT_EQ(shard("2/8"), "2/8");
  for (const char* text : {"", "1", "8/8", "-1/8", "1/0", "a/8", "1/8x", "1/", "/8", "1/100001",
                           "1/99999999999", "aut/8", "auto/"}) {
    EXPECT_THAT(shard(text), testing::HasSubstr("--shard: expected I/N")) << text;
  }
}

TEST(Shard, IsWhatALauncherSays) {
  EXPECT_EQ(shard("auto", {{"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_COUNT", "4"}}), "3/4");
  EXPECT_EQ(shard("auto", {{"SLURM_ARRAY_TASK_ID", "16"},
                           {"SLURM_ARRAY_TASK_MIN", "10"},
                           {"SLURM_ARRAY_TASK_STEP", "2"},
                           {"SLURM_ARRAY_TASK_COUNT", "4"},
                           {"SLURM_PROCID", "0"},
                           {"SLURM_NTASKS", "1"}}),
            "3/4");
  EXPECT_EQ(shard("auto", {{"OMPI_COMM_WORLD_RANK", "5"}, {"OMPI_COMM_WORLD_SIZE", "6"}}), "5/6");
  EXPECT_EQ(shard("auto", {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), "0/2");
  EXPECT_EQ(shard("auto", {{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}}), "1/2");
  EXPECT_EQ(shard("auto/8", {{"JOB_COMPLETION_INDEX", "7"}}), "7/8");
}

TEST(Shard, SaysWhatTheEnvironmentLacks) {
  using testing::HasSubstr;
  EXPECT_THAT(shard("auto"), HasSubstr("SLURM_ARRAY_TASK_ID"));
  EXPECT_THAT(shard("auto", {{"JOB_COMPLETION_INDEX", "7"}}), HasSubstr("give auto/N"));
  EXPECT_THAT(shard("auto/4", {{"JOB_COMPLETION_INDEX", "7"}}), HasSubstr("from 0 to 3, not 7"));
  EXPECT_THAT(shard("auto", {{"PMI_RANK", "x"}, {"PMI_SIZE", "2"}}), HasSubstr("in PMI_RANK"));
}

}  // namespace
}  // namespace plumb
