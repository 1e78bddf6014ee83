// Bad input gets one clear sentence that names the file, the field and what was expected; exit 2;
// nothing half-written is left.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

std::string case_text(const std::string& body) {
  return R"({"schema":"plumb.case/1",)" + body + "}";
}

TEST(BadFlags, ASweepRefusesWhatItDoesNotHeed) {
  const ScratchFolder folder;
  expect_refused(folder, "plumb sweep exp --repeat 2", {"not heeded"});
}

TEST(BadFlags, AnEmptyListIsNotTheDefault) {
  const ScratchFolder folder;
  for (const char* flag : {"--variant", "--dtype", "--device"}) {
    expect_refused(folder, std::string("plumb run ") + flag + " ''", {flag, "expected a name"});
  }
}

TEST(BadFlags, AnUnknownVariantIsAnsweredWithTheListOnce) {
  const ScratchFolder folder;
  folder.write("x.json",
               case_text(R"("op":"aten::exp","variant":"int9","args":{"self":{"data":[1]}})"));
  const Finished run = run_in(folder.path(), "plumb check x.json");
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("int8-pt2e"), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("int8-pt2e"), run.err.rfind("int8-pt2e")) << run.err;
}

TEST(BadFlags, ACacheThatCannotBeWrittenIsNoFindingOfTheCase) {
  const ScratchFolder folder;
  folder.write("x.json",
               case_text(R"("op":"aten::exp","variant":"inductor","args":{"self":{"data":[1]}})"));
  expect_refused(folder, "env PLUMB_CACHE=/proc/x plumb check x.json", {"PLUMB_CACHE", "/proc/x"});
}

/// A pipe is of the shell's process; a worker cannot read it.
TEST(BadInput, APipeIsNamedInOneSentence) {
  const ScratchFolder folder;
  const Finished run = run_in(folder.path(), "bash -c 'plumb check <(echo {})'");
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_EQ(run.err.find("filesystem error"), std::string::npos) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

TEST(BadFlags, MinimizeRefusesWhatACaseCannotHold) {
  const ScratchFolder folder;
  folder.write("x.json", case_text(R"("op":"aten::exp","args":{"self":{"data":[1]}})"));
  expect_refused(folder, "plumb minimize x.json --repeat 3", {"--repeat", "not heeded"});
  expect_refused(folder, "plumb minimize x.json --dtype f32,bf16", {"one dtype"});
  expect_refused(folder, "plumb minimize x.json --out ''", {"--out"});
  expect_refused(folder, "plumb minimize x.json --evaluations 0", {"--evaluations"});
}

TEST(BadFlags, APatternThatSelectsNothingIsRefusedThoughAnotherSelects) {
  const ScratchFolder folder;
  expect_refused(folder, "plumb sweep exp 'nosuch*'", {"nosuch*", "--load-library"});
  expect_refused(folder, "plumb sweep softmx", {"'softmx'", "nearest is 'softmax'"});
  expect_refused(folder, "plumb fuzz softmx", {"'softmx'", "nearest is 'softmax'"});
}

TEST(BadFlags, AreNamedWithTheNearestGoodOne) {
  const ScratchFolder folder;
  expect_refused(folder, "plumb run --tread 2", {"--tread", "--threads"});
  expect_refused(folder, "plumb runn", {"runn", "'run'"});
  expect_refused(folder, "plumb run fp16-no-scalr", {"fp16-no-scalr", "fp16-no-scaler"});
  expect_refused(folder, "plumb run --variant eagre", {"eagre", "eager"});
  expect_refused(folder, "plumb run --dtype floot32", {"floot32", "float32"});
  expect_refused(folder, "plumb run --device tpuu", {"tpuu"});
  expect_refused(folder, "plumb run --arm broken", {"broken", "faulty"});
  expect_refused(folder, "plumb run --timeout soon", {"--timeout", "soon"});
  expect_refused(folder, "plumb run --memory lots", {"--memory", "lots"});
  expect_refused(folder, "plumb run fp16-no-scaler --set nothing=1", {"nothing"});
  expect_refused(folder, "plumb run fp16-no-scaler --set loss", {"--set", "loss"});
  expect_refused(folder, "plumb run fp16-no-scaler --set steps=1 --set steps=2",
                 {"--set", "steps"});
  expect_refused(folder, "plumb list scenaros", {"scenaros", "scenarios"});
}

TEST(BadFlags, AreRefusedBeforeAnyWork) {
  const ScratchFolder folder;
  folder.write("x.json", case_text(R"("op":"aten::exp","args":{"self":{"data":[1]}})"));
  for (const char* command : {"plumb run", "plumb check x.json", "plumb replay x.json"}) {
    const auto refused = [&](const std::string& flags, const std::vector<std::string>& words) {
      expect_refused(folder, std::string(command) + " " + flags, words);
    };
    refused("--device meta", {"meta", "cpu, cuda or cuda:N"});
    refused("--device mps", {"mps"});
    refused("--dtype int64", {"--dtype", "int64", "floating"});
    refused("--seed -1", {"--seed", "-1"});
    refused("--seed 18446744073709551616", {"--seed", "18446744073709551615"});
    refused("--seed 1.5", {"--seed", "1.5"});
    refused("--json=3", {"--json"});
    refused("--quiet=no", {"--quiet"});
    refused("--memory 1e-9KiB", {"--memory", "at least 1KiB"});
    refused("--timeout 1e300h", {"--timeout", "at most 480h"});
    refused("--oracle fp65", {"fp65", "'fp64'"});
    refused("--relations layuot", {"layuot", "'layout'"});
    refused("--contract fsed", {"--contract", "fsed", "fused"});
  }
  expect_refused(folder, "plumb list --json=3", {"--json"});
}

TEST(BadFlags, ANameThatIsFarFromAllIsNotGuessedAt) {
  const ScratchFolder folder;
  const Finished far = run_in(folder.path(), "plumb run --variant quantised-to-three-bits");
  EXPECT_EQ(far.status, 2);
  EXPECT_EQ(far.err.find("nearest"), std::string::npos) << far.err;
  EXPECT_THAT(far.err, HasSubstr("expected"));
  expect_refused(folder, "plumb run --frobnicate", {"--frobnicate"});
}

TEST(BadCase, BrokenJsonSaysAtWhichByte) {
  const ScratchFolder folder;
  folder.write("x.json", R"({"schema":"plumb.case/1", "op": })");
  expect_refused(folder, "plumb check x.json", {"x.json", "byte 33"});
}

TEST(BadCase, MissingFilesAndFolders) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "empty");
  expect_refused(folder, "plumb check nowhere.json", {"nowhere.json", "no such file"});
  expect_refused(folder, "plumb check empty", {"empty", "no .json"});
}

TEST(BadCase, UnknownKeysOperatorsAndArguments) {
  const ScratchFolder folder;
  const auto refused = [&](const std::string& body, const std::vector<std::string>& words) {
    folder.write("x.json", case_text(body));
    std::vector<std::string> all = words;
    all.emplace_back("x.json");
    expect_refused(folder, "plumb check x.json", all);
  };
  refused(R"("op":"aten::exp","arg":{})", {"unknown key 'arg'", "'args'"});
  refused(R"("op":"aten::expp","args":{})", {"aten::expp", "aten::exp"});
  refused(R"("op":"aten::exp","args":{"x":{"data":[1]}})", {"'x'", "self"});
  refused(R"("op":"aten::exp","args":{})", {"'self' is missing"});
  refused(R"("op":"aten::exp","args":{"self":3})", {"self", "expected a tensor"});
  refused(R"("op":"aten::exp","args":{"self":{"dtype":"floot","data":[1]}})", {"floot", "float"});
  refused(R"("op":"aten::exp","args":{"self":{"data":[[1],[1,2]]}})", {"ragged"});
  refused(R"("op":"aten::exp","args":{"self":{"data":["one"]}})", {"expected a number", "one"});
  refused(R"("op":"aten::exp","args":{"self":{"shape":[1e9],"fill":"normal"}})", {"integer"});
  refused(R"("op":"aten::exp","args":{"self":{"shape":[1000000000000],"fill":"normal"}})",
          {"4 GiB"});
  refused(R"("op":"aten::exp","args":{"self":{"shape":[4],"fill":"normall"}})", {"normal"});
  refused(R"("op":"aten::exp","args":{"self":{"shape":[4],"fill":"normal","params":{"sd":1}}})",
          {"'sd'", "'std'"});
  refused(R"("op":"aten::exp","args":{"self":{"data":[1]}},"grad":["other"])", {"other"});
  refused(R"("op":"aten::sum","args":{"self":{"dtype":"int64","data":[1]}},"grad":["self"])",
          {"floating", "int64"});
  refused(R"("op":"aten::exp","args":{"self":{"data":[1]}},"variant":"eagre")", {"eager"});
  refused(R"("op":"aten::exp","args":{"self":{"data":[1]}},"relations":["layuot"])", {"layout"});
  refused(R"("op":"aten::exp","args":{"self":{"data":[1]}},"expect":{"verdict":["fine"]})",
          {"fine"});
  refused(R"("op":"aten::exp","args":{"self":{"data":[1]}},"expect":{"values":[1,2]})",
          {"expected a list of 1 items"});
  refused(R"("op":"aten::mul","args":{"self":{"data":[1]},"other":{"data":[1]},"zzz":1})",
          {"candidates", "aten::mul.Tensor"});
  refused(R"("steps":[])", {"at least one step"});
  refused(R"("steps":[{"op":"aten::exp","args":{"self":"$y"}}],"inputs":{"x":{"data":[1]}})",
          {"'y'", "'x'"});
  refused(R"("model":"net.pt2","inputs":{})", {"model"});
  refused(R"("name":"nothing")", {"exactly one of"});
}

TEST(BadCase, WrongSchemaIsRefused) {
  const ScratchFolder folder;
  folder.write("x.json", R"({"schema":"plumb.case/2","op":"aten::exp"})");
  expect_refused(folder, "plumb check x.json", {"x.json", "plumb.case/1"});
}

TEST(BadCase, ExternalTensorsThatLie) {
  const ScratchFolder folder;
  const std::string body =
      case_text(R"("op":"aten::exp","args":{"self":{"safetensors":"t.safetensors","name":"x"}})");
  folder.write("x.json", body);
  expect_refused(folder, "plumb check x.json", {"t.safetensors"});
  folder.write("t.safetensors", "short");
  expect_refused(folder, "plumb check x.json", {"t.safetensors", "8"});
  folder.write("t.safetensors", std::string("\xff\xff\xff\x7f\0\0\0\0", 8) + "{}");
  expect_refused(folder, "plumb check x.json", {"t.safetensors", "header"});
  const std::string header = R"({"x":{"dtype":"F32","shape":[1000],"data_offsets":[0,4000]}})";
  std::string length(8, '\0');
  length[0] = static_cast<char>(header.size());
  folder.write("t.safetensors", length + header + "1234");
  expect_refused(folder, "plumb check x.json", {"t.safetensors", "x"});
}

TEST(BadCase, WhatCannotBeMinimisedIsSaidInOneSentenceAndNothingIsWritten) {
  const ScratchFolder folder;
  expect_refused(folder, "plumb minimize nowhere.json", {"nowhere.json"});
  folder.write("broken.json", "{");
  expect_refused(folder, "plumb minimize broken.json", {"broken.json"});
  folder.write("list.json", "[]");
  expect_refused(folder, "plumb minimize list.json", {"list.json"});
  folder.write("unknown.json", case_text(R"("op":"aten::gellu","args":{})"));
  expect_refused(folder, "plumb minimize unknown.json", {"unknown.json", "aten::gelu"});
  folder.write("sound.json", case_text(R"("op":"aten::exp","args":{"self":{"data":[1]}})"));
  const Finished sound = run_in(folder.path(), "plumb minimize sound.json");
  EXPECT_EQ(sound.status, 1);
  EXPECT_THAT(sound.err, HasSubstr("sound.json: it does not fail: the verdict is"));
  EXPECT_EQ(sound.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(BadOutput, ANameThatIsNoFolderIsRefusedAndLeavesNothing) {
  const ScratchFolder folder;
  folder.write("file", "not a folder");
  folder.write("x.json", case_text(R"("op":"aten::exp","args":{"self":{"data":[1]}})"));
  std::filesystem::create_directories(folder / "taken/report.html");
  expect_refused(folder, "plumb check x.json --out ''", {"--out"});
  expect_refused(folder, "plumb check x.json --out file", {"--out", "file"});
  expect_refused(folder, "plumb check x.json --out taken", {"--out", "report.html"});
  EXPECT_EQ(run_in(folder.path(), "plumb check nowhere.json --out new/folder").status, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_EQ(entry.path().string().find(".plumb-"), std::string::npos) << entry.path();
  }
}

TEST(BadOutput, AFolderThatCannotBeMadeIsRefusedBeforeTheWork) {
  const ScratchFolder folder;
  std::filesystem::create_directories(folder / "there");
  folder.write("there/findings", "not a folder");
  const std::string longest(300, 'x');
  for (const std::string& out :
       {std::string("/proc/plumb"), longest, "new/" + longest, std::string("there")}) {
    expect_refused(folder, "plumb sweep exp --cases 1000000 --out " + out, {"--out"});
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "new"));
}

TEST(BadOutput, AFolderThatCannotBeWrittenIsRefusedBeforeTheWork) {
  const ScratchFolder folder;
  folder.write("file", "not a folder");
  folder.write("x.json", case_text(R"("op":"aten::exp","args":{"self":{"data":[1]}})"));
  const Finished run = run_in(folder.path(), "plumb check x.json --out file/out");
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_THAT(run.err, HasSubstr("file/out"));
  EXPECT_EQ(slurp(folder / "file"), "not a folder");
}

TEST(BadNetwork, AGgufThatLiesIsNamed) {
  const ScratchFolder folder;
  folder.write("short.gguf", "GGUF");
  expect_refused(folder, "PLUMB_SMOLLM2=short.gguf plumb run smollm2-half --arm fixed --dtype f32",
                 {"short.gguf"});
  folder.write("other.gguf", "PK\x03\x04 this is a zip archive, not a network at all");
  expect_refused(folder, "PLUMB_SMOLLM2=other.gguf plumb run smollm2-half --arm fixed --dtype f32",
                 {"other.gguf", "GGUF"});
}

TEST(BadReport, ResultsThatAreNoResults) {
  const ScratchFolder folder;
  folder.write("r.json", R"({"schema":"plumb.results/9","results":[]})");
  expect_refused(folder, "plumb report r.json --html r.html", {"r.json", "plumb.results/1"});
  EXPECT_FALSE(std::filesystem::exists(folder / "r.html"));
}

}  // namespace
}  // namespace plumb
