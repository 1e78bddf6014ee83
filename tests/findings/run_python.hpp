#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>
#include <unistd.h>

namespace plumb {

/// Runs the programs in one interpreter; their exit codes, by line.
inline std::string exit_codes(const std::vector<std::string>& programs) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("plumb-repro-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream all(folder / "all.py");
  all << "import runpy\n";
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::filesystem::path file = folder / ("repro" + std::to_string(i) + ".py");
    std::ofstream(file) << programs[i];
    all << "try:\n    runpy.run_path('" << file.string()
        << "')\n    code = 0\nexcept SystemExit as end:\n    code = end.code\n"
        << "print('exit', code, flush=True)\n";
  }
  all.close();
  std::FILE* pipe = popen(
      (std::string(PLUMB_PYTHON) + " " + (folder / "all.py").string() + " 2>&1").c_str(), "r");
  std::string text;
  for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  pclose(pipe);
  std::filesystem::remove_all(folder);
  return text;
}

inline std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

}  // namespace plumb
