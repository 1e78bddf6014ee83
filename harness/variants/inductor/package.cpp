#include "harness/variants/inductor/package.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ATen/ATen.h>
#include <torch/csrc/jit/serialization/pickle.h>
#include <torch/version.h>

#include "harness/atomic_file.hpp"
#include "harness/build_info.hpp"
#include "harness/digest.hpp"
#include "harness/errors.hpp"
#include "harness/variant.hpp"

namespace plumb {
extern const std::string_view kInductorCompile;  // compile.py
}

namespace plumb::inductor {
namespace {

namespace fs = std::filesystem;

fs::path python() { return fs::path(kPythonPath); }

fs::path cache_folder() {
  const char* chosen = std::getenv("PLUMB_CACHE");
  const bool is_set = chosen != nullptr && *chosen != '\0';
  return (is_set ? fs::path(chosen) : fs::path(kBuildFolder)) / "inductor";
}

at::Tensor bytes_of(std::string_view text) {
  return at::from_blob(const_cast<char*>(text.data()), {std::int64_t(text.size())}, at::kByte)
      .clone();
}

std::string key_of(const Calls& calls) {
  Outputs parts = {{"torch", bytes_of(TORCH_VERSION)},
                   {"script", bytes_of(kInductorCompile)},
                   {"calls", bytes_of(calls.text.dump())}};
  for (const at::Tensor& constant : calls.constants) parts.push_back({"constant", constant});
  return digest(parts).substr(std::strlen("sha256:"), 24);
}

/// The last line of what the compiler said.
std::string last_words(const fs::path& log) {
  std::ifstream file(log);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \t") != std::string::npos) last = line;
  }
  return last.empty() ? "it said nothing" : last;
}

/// The compiler needs more address space than a worker is given.
int run_compiler(const fs::path& folder) {
  const std::string script = (folder / "compile.py").string();
  const std::string command = "ulimit -v unlimited; exec \"$1\" \"$2\" \"$3\" >\"$3/log\" 2>&1";
  const std::string interpreter = python().string();
  const std::string place = folder.string();
  const char* const argv[] = {"/bin/sh",           "-c",           command.c_str(), "sh",
                              interpreter.c_str(), script.c_str(), place.c_str(),   nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, argv[0], nullptr, nullptr, const_cast<char* const*>(argv), environ) !=
      0) {
    return -1;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// Where one process works; what is left of it is removed.
class Workplace {
 public:
  explicit Workplace(const fs::path& parent)
      : folder_(parent / ("work-" + std::to_string(getpid()))) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) {
      throw InputError("PLUMB_CACHE: the folder " + parent.string() +
                       " cannot be written to: " + error.message());
    }
  }
  ~Workplace() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Workplace(const Workplace&) = delete;

  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

void compile(const Calls& calls, const fs::path& package) {
  const Workplace work(package.parent_path());
  const fs::path& folder = work.folder();
  setenv("TORCHINDUCTOR_CACHE_DIR", (package.parent_path() / "torchinductor").c_str(), 1);
  setenv("TORCHINDUCTOR_COMPILE_THREADS", "1", 1);  // a pool of processes outlives its parent
  write_file_atomically(folder / "compile.py", kInductorCompile);
  write_file_atomically(folder / "calls.json", calls.text.dump());
  const std::vector<char> pickled = torch::jit::pickle_save(calls.constants);
  write_file_atomically(folder / "constants.pt", {pickled.data(), pickled.size()});
  if (run_compiler(folder) != 0) {
    throw CannotRun("AOTInductor cannot compile it: " + last_words(folder / "log"));
  }
  fs::rename(folder / "model.pt2", package);
}

}  // namespace

std::optional<std::string> why_no_compiler() {
  std::error_code ignored;
  if (!fs::exists(python(), ignored)) {
    return "AOTInductor needs the Python beside torch, and there is no " + python().string();
  }
  return std::nullopt;
}

fs::path package_of(const Calls& calls) {
  const fs::path package = cache_folder() / (key_of(calls) + ".pt2");
  if (!fs::exists(package)) compile(calls, package);
  return package;
}

}  // namespace plumb::inductor
