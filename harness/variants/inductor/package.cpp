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
#include "harness/doing.hpp"
#include "harness/errors.hpp"
#include "harness/json_fields.hpp"
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

std::vector<Calls> chosen(const std::vector<Calls>& programs,
                          const std::vector<std::size_t>& places) {
  std::vector<Calls> some;
  for (const std::size_t place : places) some.push_back(programs[place]);
  return some;
}

fs::path file_of(const std::vector<Calls>& programs) {
  return cache_folder() / (key_of(programs) + ".pt2");
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

/// For a person who waits.
std::string in_words(const std::vector<Calls>& programs,
                     const std::vector<std::vector<std::size_t>>& groups) {
  const Json& calls = programs[groups.front().front()].text["calls"];
  const std::string op = calls.empty() ? "a program" : calls.front()["op"].get<std::string>();
  std::size_t count = 0;
  for (const auto& group : groups) count += group.size();
  const std::string times = count > 1 ? " (" + std::to_string(count) + " programs)" : "";
  return "compiling " + op + times + " for inductor …";
}

/// Packages of whole groups, which the compiler may split.
std::vector<Package> compile(const std::vector<Calls>& programs,
                             const std::vector<std::vector<std::size_t>>& groups) {
  tell_doing(in_words(programs, groups));
  const Workplace work(cache_folder());
  const fs::path& folder = work.folder();
  std::vector<std::size_t> places;
  Json text = Json::array();
  c10::List<c10::List<at::Tensor>> constants;
  for (const std::vector<std::size_t>& group : groups) {
    text.push_back(Json::array());
    for (const std::size_t place : group) {
      places.push_back(place);
      text.back().push_back(programs[place].text);
      constants.push_back(c10::List<at::Tensor>(programs[place].constants));
    }
  }
  setenv("TORCHINDUCTOR_CACHE_DIR", (cache_folder() / "torchinductor").c_str(), 1);
  setenv("TORCHINDUCTOR_COMPILE_THREADS", "1", 1);  // a pool of processes outlives its parent
  write_file_atomically(folder / "compile.py", kInductorCompile);
  write_file_atomically(folder / "calls.json", text.dump());
  const std::vector<char> pickled = torch::jit::pickle_save(constants);
  write_file_atomically(folder / "constants.pt", {pickled.data(), pickled.size()});
  if (run_compiler(folder) != 0) return {{places, "", last_words(folder / "log")}};
  std::vector<Package> packages;
  for (const Json& part : read_json_file((folder / "done.json").string())) {
    Package package{.programs = {}, .file = "", .why_not = part.value("why", "")};
    for (const std::size_t index : part["programs"]) package.programs.push_back(places[index]);
    if (part.contains("package")) {
      package.file = file_of(chosen(programs, package.programs));
      fs::rename(folder / part["package"].get<std::string>(), package.file);
    }
    packages.push_back(std::move(package));
  }
  return packages;
}

/// Finds packages for a group in the cache; a group that the compiler split lies there in halves.
void look_up(const std::vector<Calls>& programs, const std::vector<std::size_t>& group,
             std::vector<Package>& found, std::vector<std::vector<std::size_t>>& missing) {
  const auto is_there = [&](const std::vector<std::size_t>& places) {
    return fs::exists(file_of(chosen(programs, places)));
  };
  if (is_there(group)) {
    found.push_back({group, file_of(chosen(programs, group)), ""});
    return;
  }
  const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
  const std::vector<std::size_t> halves[] = {{group.begin(), middle}, {middle, group.end()}};
  if (group.size() == 1 || (!is_there(halves[0]) && !is_there(halves[1]))) {
    missing.push_back(group);
    return;
  }
  for (const auto& half : halves) look_up(programs, half, found, missing);
}

}  // namespace

std::optional<std::string> why_no_compiler() {
  std::error_code ignored;
  if (!fs::exists(python(), ignored)) {
    return "AOTInductor needs the Python beside torch, and there is no " + python().string();
  }
  return std::nullopt;
}

std::string key_of(const std::vector<Calls>& programs) {
  Outputs parts = {{"torch", bytes_of(TORCH_VERSION)}, {"script", bytes_of(kInductorCompile)}};
  for (const Calls& calls : programs) {
    parts.push_back({"calls", bytes_of(calls.text.dump())});
    for (const at::Tensor& constant : calls.constants) parts.push_back({"constant", constant});
  }
  return digest(parts).substr(std::strlen("sha256:"), 24);
}

std::string refusal(const std::string& words) { return "AOTInductor cannot compile it: " + words; }

std::vector<Package> packages_of(const std::vector<Calls>& programs,
                                 const std::vector<std::vector<std::size_t>>& groups) {
  std::vector<Package> packages;
  std::vector<std::vector<std::size_t>> missing;
  for (const auto& group : groups) look_up(programs, group, packages, missing);
  if (missing.empty()) return packages;
  for (Package& package : compile(programs, missing)) packages.push_back(std::move(package));
  return packages;
}

fs::path package_of(const Calls& calls) {
  const Package package = packages_of({calls}, {{0}}).front();
  if (package.file.empty()) {
    throw CannotRun(refusal(package.why_not));
  }
  return package.file;
}

}  // namespace plumb::inductor
