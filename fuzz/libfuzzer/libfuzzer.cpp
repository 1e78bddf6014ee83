// libFuzzer as a library in the process: its corpus, schedule and features, our samples, mutations
// and crossings; and, to compare with, the same without feedback, and with its own mutations of
// bytes. Belongs into executables alone: it only sees counters that lie there.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "fuzz/driver.hpp"
#include "fuzz/features.hpp"
#include "harness/text.hpp"

// NOLINTBEGIN(readability-identifier-naming): libFuzzer gives the names
extern "C" int LLVMFuzzerRunDriver(int* argc, char*** argv,
                                   int (*callback)(const std::uint8_t* data, std::size_t size));
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
// NOLINTEND(readability-identifier-naming)

/// Written only, so a static array would be optimised away; libFuzzer clears and reads it by words.
__attribute__((section("__libfuzzer_extra_counters"), used, aligned(8)))
std::uint8_t plumb_fuzz_cells[plumb::Features::kCells];

/// Where it does not look.
static std::uint8_t unseen_cells[plumb::Features::kCells];

namespace plumb {
namespace {

/// Fresh samples among the inputs tried. Of 30, 60, 80 and 90 per cent these find most of the
/// planted bugs soonest and as many live failures as any (docs/planted.md).
constexpr unsigned kFreshPercent = 80;

const DriverRun* running = nullptr;
bool only_bytes = false;  // mutated as if they had no structure
bool has_begun = false;   // first come the corpus, no byte, and one where there is no corpus

int execute(const std::uint8_t* data, std::size_t size) {
  if (has_begun) return running->execute({data, size}) ? 0 : -1;
  running->replay({data, size});
  return 0;
}

std::size_t write(const Genome& genome, std::uint8_t* out, std::size_t most) {
  const std::vector<std::uint8_t> bytes = encode(genome);
  const std::size_t size = std::min(bytes.size(), most);
  std::memcpy(out, bytes.data(), size);
  return size;
}

std::size_t mutate(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  has_begun = true;
  if (only_bytes) return LLVMFuzzerMutate(data, size, most);
  Random random(seed);
  if (size == 0 || random.chance(kFreshPercent)) {
    return write(sample(running->choices, random), data, most);
  }
  return write(mutated(decode({data, size}), running->choices, random), data, most);
}

std::size_t cross(std::span<const std::uint8_t> shape, std::span<const std::uint8_t> values,
                  std::uint8_t* out, std::size_t most, unsigned seed) {
  has_begun = true;
  if (only_bytes) {
    const std::size_t size = std::min(shape.size(), most);
    std::copy_n(shape.begin(), size, out);
    return LLVMFuzzerMutate(out, size, most);
  }
  Random random(seed);
  if (random.chance(kFreshPercent)) return write(sample(running->choices, random), out, most);
  return write(crossed(decode(shape), decode(values), random), out, most);
}

/// What it executes before it begins to search.
std::uint64_t replayed(const std::string& corpus) {
  std::error_code none;
  const std::filesystem::directory_iterator files(corpus, none);
  const auto count = static_cast<std::uint64_t>(std::distance(begin(files), end(files)));
  return 1 + std::max<std::uint64_t>(count, 1);
}

std::vector<std::string> arguments_of(const DriverRun& run) {
  std::vector<std::string> arguments = {
      "plumb-fuzz",
      run.corpus,
      "-seed=" + std::to_string(1 + run.seed % 0xFFFFFFFE),  // 0 would be the time
      "-max_len=" + std::to_string(Genome::kMostBytes),
      "-reload=" + std::to_string(run.has_company ? 1 : 0),
      "-artifact_prefix=" + run.corpus + "/",
      "-print_final_stats=1",
      "-len_control=0"};
  if (run.runs > 0) {
    arguments.push_back("-runs=" + std::to_string(run.runs + replayed(run.corpus)));
  }
  if (run.seconds > 0) {
    arguments.push_back("-max_total_time=" + std::to_string(static_cast<int>(run.seconds + 0.999)));
  }
  // Dead, hung and greedy workers are for the main process to notice.
  for (const char* off : {"timeout", "rss_limit_mb", "malloc_limit_mb", "detect_leaks",
                          "handle_abrt", "handle_bus", "handle_fpe", "handle_ill", "handle_int",
                          "handle_segv", "handle_term", "handle_trap", "handle_xfsz"}) {
    arguments.push_back("-" + std::string(off) + "=0");
  }
  return arguments;
}

void search(const DriverRun& run) {
  running = &run;
  std::vector<std::string> arguments = arguments_of(run);
  std::vector<char*> words;
  words.reserve(arguments.size() + 1);
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  int count = static_cast<int>(arguments.size());
  char** first = words.data();
  LLVMFuzzerRunDriver(&count, &first, execute);
}

void search_bytes(const DriverRun& run) {
  only_bytes = true;
  search(run);
}

const Register<Driver> registered{{
    .name = "libfuzzer",
    .cells = [] { return std::span(plumb_fuzz_cells); },
    .run = search,
}};
const Register<Driver> blind{{
    .name = "libfuzzer-blind",
    .cells = [] { return std::span(unseen_cells); },
    .run = search,
}};
const Register<Driver> bytes{{
    .name = "libfuzzer-bytes",
    .cells = [] { return std::span(plumb_fuzz_cells); },
    .run = search_bytes,
}};

}  // namespace
}  // namespace plumb

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  return plumb::mutate(data, size, most, seed);
}

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* data1, std::size_t size1,
                                                 const std::uint8_t* data2, std::size_t size2,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  return plumb::cross({data1, size1}, {data2, size2}, out, most, seed);
}
