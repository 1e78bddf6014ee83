#pragma once

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

namespace plumb {

struct Finished {
  int status = -1;
  std::string out;
  std::string err;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A folder of its own for each test, removed at the end.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "plumb-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this / name;
  }

 private:
  std::filesystem::path path_;
};

/// Runs a shell command in `folder`; "plumb …" finds the built program.
inline Finished run_in(const std::string& folder, const std::string& command) {
  const std::string bin = std::filesystem::path(PLUMB_PROGRAM).parent_path().string();
  const std::string err = folder + "/.stderr";
  const std::string line =
      "cd '" + folder + "' && PATH='" + bin + "':$PATH && { " + command + " ; } 2>'" + err + "'";
  Finished finished;
  std::FILE* pipe = popen(line.c_str(), "r");
  std::array<char, 4096> buffer;
  for (std::size_t got; (got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    finished.out.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.err = slurp(err);
  return finished;
}

/// One sentence on standard error that begins so, exit code 2, nothing printed and nothing written.
inline void expect_refused(const ScratchFolder& folder, const std::string& command,
                           const std::vector<std::string>& words,
                           const std::string& beginning = "plumb: ") {
  const Finished run = run_in(folder.path(), command);
  EXPECT_EQ(run.status, 2) << command << "\n" << run.out << run.err;
  EXPECT_TRUE(run.err.starts_with(beginning)) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_EQ(run.out, "") << command;
  for (const std::string& word : words) EXPECT_THAT(run.err, testing::HasSubstr(word)) << command;
  EXPECT_FALSE(std::filesystem::exists(folder / "out/results.json")) << command;
}

}  // namespace plumb
