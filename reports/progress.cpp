#include "reports/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/process_clock.hpp"
#include "harness/text.hpp"
#include "reports/text.hpp"

namespace plumb {

namespace {

namespace fs = std::filesystem;

/// "plumb" where the PATH leads to this program, else its path from the current folder.
std::string how_to_call() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return "plumb";
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "" : path, ':')) {
    if (fs::equivalent(fs::path(folder) / "plumb", program, error)) return "plumb";
  }
  const fs::path here = fs::current_path(error);
  const fs::path relative = program.lexically_relative(here);
  if (error || relative.empty() || *relative.begin() == "..") return shell_quoted(program.string());
  return shell_quoted(relative.has_parent_path() ? relative.string() : "./" + relative.string());
}

bool is_terminal(int stream) { return isatty(stream) != 0; }

/// Columns of the terminal; `otherwise` where it is none or does not say.
std::size_t columns_of(int stream, std::size_t otherwise) {
  winsize size{};
  return ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

}  // namespace

Progress::Progress(std::size_t total, bool silent)
    : total_(total),
      is_counted_(total > 0),
      silent_(silent),
      terminal_(is_terminal(STDERR_FILENO)),
      start_(std::chrono::steady_clock::now()) {}

void Progress::finished(const Result& result) {
  total_ = std::max(total_, ++done_);  // a finding is a row more
  const double elapsed = seconds_since(start_);
  if (silent_ || !is_counted_ || elapsed < (terminal_ ? 1 : next_)) return;
  const double left = elapsed / static_cast<double>(done_) * static_cast<double>(total_ - done_);
  std::string line = std::to_string(done_) + " of " + std::to_string(total_) + ", about " +
                     std::to_string(std::lround(left)) + " s left  " + one_line(result.name);
  if (!terminal_) {
    std::fprintf(stderr, "%s\n", line.c_str());
    next_ = elapsed + 60;
    return;
  }
  draw(std::move(line));
}

void Progress::doing(const std::string& what) {
  if (silent_ || !terminal_) return;
  const std::string count =
      is_counted_ ? std::to_string(done_) + " of " + std::to_string(total_) + ", " : "";
  draw(count + one_line(what));
}

void Progress::draw(std::string line) {
  // A line that wraps could not be wiped.
  line.resize(std::min(line.size(), columns_of(STDERR_FILENO, 80) - 1));
  std::fprintf(stderr, "\r\033[K%s", line.c_str());
  drawn_ = true;
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

ConsoleStyle console_style(bool quiet) {
  ConsoleStyle style;
  const bool terminal = is_terminal(STDOUT_FILENO);
  style.colour = terminal && std::getenv("NO_COLOR") == nullptr;
  style.listed = !terminal && !quiet;
  style.program = how_to_call();
  style.width = terminal ? columns_of(STDOUT_FILENO, style.width) : 1000;  // a log cuts nothing
  if (quiet) style.most_rows = 0;
  return style;
}

}  // namespace plumb
