// Ctrl-C and SIGTERM: what was judged until then is kept.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(Interrupt, KeepsWhatWasJudgedAndSaysSo) {
  for (const auto& [signal, status] : {std::pair("INT", 130), std::pair("TERM", 143)}) {
    const ScratchFolder folder;
    const Finished run =
        run_in(folder.path(), std::string("timeout --preserve-status -s ") + signal +
                                  " 4 plumb sweep exp gelu sinc 'soft*' 'l*' "
                                  "--cases 5000 --no-minimize --relations none");
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_THAT(run.err, HasSubstr(std::string("stopped by SIG") + signal));
    EXPECT_TRUE(json::parse(slurp(folder / "out/results.json")).contains("results"));
    EXPECT_TRUE(std::filesystem::exists(folder / "out/report.html"));
  }
}

TEST(Interrupt, AReaderThatLeavesEarlyFindsTheFilesWhole) {
  const ScratchFolder folder;
  run_in(folder.path(), "plumb sweep 'soft*' --dtype f32 --cases 2 | head -n 1");
  EXPECT_GT(json::parse(slurp(folder / "out/results.json"))["results"].size(), 1u);
}

}  // namespace
}  // namespace plumb
