#include "reports/progress.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace plumb {

Progress::Progress(std::size_t total, bool silent)
    : total_(total),
      terminal_(isatty(STDERR_FILENO) != 0),
      silent_(silent),
      start_(std::chrono::steady_clock::now()) {}

void Progress::finished(const Result& result) {
  ++done_;
  if (!terminal_) {
    if (!silent_) std::cout << result_line(result) << std::endl;
    return;
  }
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  if (silent_ || elapsed < 1) return;
  const double left = elapsed / static_cast<double>(done_) * static_cast<double>(total_ - done_);
  std::fprintf(stderr, "\r\033[K%zu of %zu, about %.0f s left  %s", done_, total_, left,
               result.name.substr(0, 40).c_str());
  drawn_ = true;
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

ConsoleStyle console_style(bool quiet) {
  ConsoleStyle style;
  style.colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) style.width = size.ws_col;
  if (quiet) style.most_rows = 0;
  return style;
}

}  // namespace plumb
