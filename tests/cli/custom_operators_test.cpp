// What --load-library and --reference refuse. What they do is shown by examples/custom-kernel.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

void expect_flag_refused(const ScratchFolder& folder, const std::string& command,
                         const std::vector<std::string>& words) {
  expect_refused(folder, command, words, "plumb: --");
}

void expect_library_refused(const std::string& file, const std::vector<std::string>& words,
                            const std::vector<const char*>& commands = {"check x.json"}) {
  const ScratchFolder folder;
  folder.write("text.so", "not ELF");
  folder.write("x.json",
               R"({"schema":"plumb.case/1","op":"aten::exp","args":{"self":{"data":[1.0]}}})");
  for (const char* command : commands) {
    expect_flag_refused(folder, std::string("plumb ") + command + " --load-library '" + file + "'",
                        words);
  }
}

std::string planted(const std::string& name) {
  return std::string(PLUMB_TEST_LIBRARIES) + "/" + name + ".so";
}

TEST(LoadLibrary, RefusesWhatIsNoLibrary) {
  expect_library_refused("none.so", {"none.so", "no such file"},
                         {"sweep exp --json", "check x.json", "replay x.json", "run"});
  expect_library_refused(".", {"not a folder"});
  expect_library_refused("text.so", {"text.so", "cannot be loaded", "file too short"});
}

TEST(LoadLibrary, RefusesOneWithoutOperators) {
  expect_library_refused(planted("registers_nothing"),
                         {"registers_nothing.so", "registers no operator", "TORCH_LIBRARY"});
}

TEST(LoadLibrary, RefusesOneBuiltAgainstAnotherTorch) {
  expect_library_refused(
      planted("unresolved"),
      {"unresolved.so", "undefined symbol", "not_in_this_version", "built against this torch"});
}

TEST(LoadLibrary, OneThatEndsTheProcessDoesNotEndThisOne) {
  expect_library_refused(planted("crashes"), {"crashes.so", "SIGSEGV"});
  expect_library_refused(planted("exits"), {"exits.so", "exit code 0"});
  expect_library_refused(planted("throws"), {"throws.so", "planted: no such type"});
}

TEST(Reference, RefusesWhatDoesNotFit) {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& flags, const std::vector<std::string>& words) {
    expect_flag_refused(folder, "plumb sweep " + flags, words);
  };
  refused("exp --reference ''", {"--reference", "[GLOB=]OPERATOR"});
  refused("exp --reference '=aten::exp'", {"--reference", "[GLOB=]OPERATOR"});
  refused("exp --reference aten::expp", {"'aten::expp'", "nearest is 'aten::exp"});
  refused("exp --reference aten::sum.dim",
          {"unknown overload 'aten::sum.dim'", "aten::sum.dim_IntList"});
  refused("exp --reference aten::softmax.int",
          {"aten::exp", "'int dim' of aten::softmax.int", "default"});
  refused("softmax.int --reference aten::mul.Tensor",
          {"'int dim' of aten::softmax.int", "'Tensor other'", "same kind"});
  refused("mm --reference aten::exp", {"'Tensor mat2' of aten::mm", "default"});
  refused("exp --reference aten::frexp.Tensor", {"aten::exp has 1 result", "2"});
  refused("exp --reference 'exq*=aten::exp'",
          {"'aten::exq*' matches no operator that is selected"});
}

TEST(Reference, IsCheckedForCasesToo) {
  const ScratchFolder folder;
  folder.write("x.json",
               R"({"schema":"plumb.case/1","op":"aten::exp","args":{"self":{"data":[1.0]}}})");
  for (const char* command : {"plumb check x.json ", "plumb replay x.json "}) {
    expect_flag_refused(folder, std::string(command) + "--reference aten::softmax.int",
                        {"'int dim'"});
    expect_flag_refused(folder, std::string(command) + "--reference my::exp=aten::exp",
                        {"'my::exp' matches no operator that is selected"});
  }
  expect_flag_refused(folder, "plumb run --reference 'aten::exq'", {"aten::exq"});
  const Finished run = run_in(folder.path(), "plumb run --reference aten::exp");
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("not heeded"));
}

TEST(Reference, JudgesACaseAndStandsInItsReplayLine) {
  const ScratchFolder folder;
  folder.write("x.json", R"({"schema":"plumb.case/1","op":"aten::exp",
                             "args":{"self":{"data":[1.0, 2.0]}}})");
  const Finished run = run_in(folder.path(), "plumb check x.json --reference aten::expm1 --json");
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_THAT(run.out, HasSubstr("quad of aten::expm1"));
  EXPECT_THAT(run.out, HasSubstr("plumb replay x.json --reference aten::expm1"));
  const Finished again = run_in(folder.path(), "plumb replay x.json --reference aten::expm1");
  EXPECT_EQ(again.status, 0) << again.out << again.err;
  EXPECT_THAT(again.out, HasSubstr("unstable"));
}

}  // namespace
}  // namespace plumb
