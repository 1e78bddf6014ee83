#include "harness/library.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <set>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ATen/core/dispatch/Dispatcher.h>

#include "harness/errors.hpp"
#include "harness/raised.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

constexpr int kTrialMilliseconds = 60'000;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw UsageError("--load-library: " + file + ": " + why);
}

std::set<std::string>& loaded_files() {
  static std::set<std::string> files;
  return files;
}

std::set<std::string, std::less<>>& loaded_operators() {
  static std::set<std::string, std::less<>> names;
  return names;
}

std::string key_of(const std::string& file) {
  std::error_code ignored;
  return fs::weakly_canonical(file, ignored).string();
}

/// Names with their overloads.
std::set<std::pair<std::string, std::string>> operator_names() {
  std::set<std::pair<std::string, std::string>> names;
  for (const auto& key : c10::Dispatcher::singleton().getAllOpNames()) {
    if (c10::Dispatcher::singleton().findSchema(key)) names.emplace(key.name, key.overload_name);
  }
  return names;
}

/// What is printed meanwhile goes to standard error: --json promises results and nothing else.
class StandardOutputAside {
 public:
  StandardOutputAside() {
    std::fflush(stdout);
    saved_ = dup(STDOUT_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~StandardOutputAside() {
    std::fflush(stdout);
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }
  StandardOutputAside(const StandardOutputAside&) = delete;
  StandardOutputAside& operator=(const StandardOutputAside&) = delete;

 private:
  int saved_ = -1;
};

/// The reason without the file's name, which dlerror puts in front, and with what it means.
std::string reason_of(std::string text, const std::string& path) {
  if (text.starts_with(path + ": ")) text = text.substr(path.size() + 2);
  const auto says = [&](const char* words) { return text.find(words) != std::string::npos; };
  if (says("libtorch_python")) {
    text += " (it needs Python; expected one linked with torch_cpu and c10 alone)";
  } else if (says("undefined symbol")) {
    text += " (was it built against this torch, and linked with all it uses?)";
  }
  return text;
}

void open_library(const std::string& file, const std::string& path) {
  const StandardOutputAside aside;
  try {
    if (dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return;
  } catch (const std::exception& error) {  // of a static initialiser: TORCH_LIBRARY twice …
    refuse(file, "it cannot be loaded: " + message_of(error));
  } catch (...) {
    refuse(file, "it cannot be loaded: it threw something that is no std::exception");
  }
  const char* text = dlerror();
  refuse(file, "it cannot be loaded: " + reason_of(text == nullptr ? "?" : text, path));
}

void check_exists(const std::string& file) {
  std::error_code error;
  if (!fs::exists(file, error)) refuse(file, "there is no such file; expected a shared library");
  if (!fs::is_regular_file(file, error)) refuse(file, "expected a shared library, not a folder");
}

// --- the trial

constexpr std::string_view kLoaded = "loaded";

/// Of the process that tries. Loading throws through code that lets no exception pass, so that the
/// terminate handler is where its message can be read.
struct Trial {
  static inline int answer = -1;
  static inline std::string file;

  [[noreturn]] static void end(std::string_view words) {
    const ssize_t written = write(answer, words.data(), words.size());
    _exit(written > 0 ? 0 : 1);
  }

  [[noreturn]] static void run() {
    alarm(kTrialMilliseconds / 1000 + 1);  // where the parent is gone by then
    std::set_terminate([] {
      try {
        std::rethrow_exception(std::current_exception());
      } catch (const std::exception& error) {
        end("--load-library: " + file + ": it cannot be loaded: " + message_of(error));
      } catch (...) {
        std::abort();
      }
    });
    try {
      load_library(file);
    } catch (const UsageError& error) {
      end(error.what());
    }
    end(kLoaded);
  }
};

/// What the child said until it ended; empty where it did not end in time.
std::optional<std::string> words_of(int answer) {
  std::string text;
  pollfd waiting{answer, POLLIN, 0};
  char buffer[4096];
  for (;;) {
    const int ready = poll(&waiting, 1, kTrialMilliseconds);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    const ssize_t got = read(answer, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(got));
  }
}

std::string how_it_ended(int status) {
  if (!WIFSIGNALED(status)) return "exit code " + std::to_string(WEXITSTATUS(status));
  const char* name = sigabbrev_np(WTERMSIG(status));
  return std::string("SIG") + (name != nullptr ? name : "?") + " (" + strsignal(WTERMSIG(status)) +
         ")";
}

void try_elsewhere(const std::string& file) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    Trial::answer = ends[1];
    Trial::file = file;
    Trial::run();
  }
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return;
  }
  const auto words = words_of(ends[0]);
  close(ends[0]);
  if (!words) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!words) refuse(file, "it cannot be loaded: that takes more than a minute");
  if (*words == kLoaded) return;
  if (!words->empty()) throw UsageError(*words);
  refuse(file, "it cannot be loaded: a process that tried ended with " + how_it_ended(status));
}

}  // namespace

void load_library(const std::string& file) {
  if (loaded_files().contains(key_of(file))) return;
  check_exists(file);
  const auto before = operator_names();
  open_library(file, fs::absolute(file).string());
  std::size_t found = 0;
  for (const auto& name : operator_names()) {
    if (before.contains(name)) continue;
    loaded_operators().insert(name.first);
    ++found;
  }
  if (found == 0) refuse(file, "it registers no operator; expected TORCH_LIBRARY in it");
  loaded_files().insert(key_of(file));
}

void load_library_carefully(const std::string& file) {
  if (loaded_files().contains(key_of(file))) return;
  check_exists(file);
  try_elsewhere(file);
  load_library(file);
}

bool is_from_library(std::string_view operator_name) {
  const auto base = operator_name.substr(0, operator_name.find('.'));
  return loaded_operators().find(base) != loaded_operators().end();
}

}  // namespace plumb
