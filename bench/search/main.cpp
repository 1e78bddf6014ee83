// Executions until the first failure on the planted bugs, by engine, with the same oracle: each bug
// and seed until it is hit or given up. Goes on where an earlier run with the same --out ended.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <fnmatch.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include <ATen/Parallel.h>

#include "bench/search/trial.hpp"
#include "harness/json_fields.hpp"
#include "harness/library.hpp"
#include "harness/text.hpp"

namespace plumb::bench {
namespace {

struct Flags {
  std::string folder;  // of planted.so and planted.json
  std::string bugs = "*";
  std::string drivers = "libfuzzer,libfuzzer-blind,random,libfuzzer-bytes";
  std::uint64_t seeds = 20;
  std::uint64_t runs = 200000;
  int jobs = 1;
  std::string out = "search.jsonl";
  bool twins = false;
};

struct Bug {
  std::string name;
  std::string reference;
  char conditions = '1';  // how many must meet
};

std::vector<Bug> bugs_of(const Flags& flags) {
  std::vector<Bug> bugs;
  for (const Json& row : read_json_file(flags.folder + "/planted.json")) {
    const std::string name = row["name"];
    const std::string own = name.substr(name.rfind(':') + 1);
    if (fnmatch(flags.bugs.c_str(), own.c_str(), 0) != 0) continue;
    bugs.push_back({name + (flags.twins ? "_ok" : ""), row["reference"], name.back()});
  }
  return bugs;
}

/// Of every trial, by its key.
using Endings = std::map<std::string, Ended>;

Endings read_endings(const std::string& file, std::uint64_t runs) {
  Endings endings;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const Json json = parse_json(line, file);
    if (json["runs"] != runs) continue;
    Ended ended{std::nullopt, json["verdict"]};
    if (!json["hit"].is_null()) ended.hit = json["hit"].get<std::uint64_t>();
    endings[json["trial"]] = ended;
  }
  return endings;
}

std::vector<std::uint64_t> hits(const Flags& flags, const Endings& endings, const Bug& bug,
                                const std::string& driver) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t seed = 0; seed < flags.seeds; ++seed) {
    const Ended& ended =
        endings.at(Trial{.op = bug.name, .reference = "", .driver = driver, .seed = seed}.key());
    all.push_back(ended.hit.value_or(flags.runs + 1));  // greater than any hit
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::size_t solved(const std::vector<std::uint64_t>& sorted, std::uint64_t runs) {
  return static_cast<std::size_t>(std::upper_bound(sorted.begin(), sorted.end(), runs) -
                                  sorted.begin());
}

/// Of an even number the mean of the two in the middle.
double median(const std::vector<std::uint64_t>& sorted) {
  const std::size_t count = sorted.size();
  return static_cast<double>(sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

std::string median_text(const std::vector<std::uint64_t>& sorted, std::uint64_t runs) {
  if (sorted[sorted.size() / 2] > runs) return ">" + std::to_string(runs);
  return shortest(median(sorted));
}

constexpr const char* kBaseline = "random";

/// Geometric means of each engine's medians beside those of `random`: of all bugs, and of those
/// that `random` does not hit at once.
void print_beside_random(const Flags& flags, const std::vector<Bug>& bugs, const Endings& endings) {
  const std::vector<std::string> drivers = split(flags.drivers, ',');
  if (std::ranges::find(drivers, kBaseline) == drivers.end()) return;
  const auto middle = [&](const Bug& bug, const std::string& driver) {
    return median(hits(flags, endings, bug, driver));
  };
  for (const double least : {1.0, 20.0}) {
    std::vector<Bug> hard;
    std::ranges::copy_if(bugs, std::back_inserter(hard),
                         [&](const Bug& bug) { return middle(bug, kBaseline) >= least; });
    if (hard.empty()) continue;
    std::printf("| beside `%s`, %zu bugs that it needs %g or more for |", kBaseline, hard.size(),
                least);
    for (const std::string& driver : drivers) {
      double logs = 0;
      for (const Bug& bug : hard) logs += std::log(middle(bug, driver) / middle(bug, kBaseline));
      std::printf(" %.2f |", std::exp(logs / static_cast<double>(hard.size())));
    }
    std::printf("\n");
  }
}

void print(const Flags& flags, const std::vector<Bug>& bugs, const Endings& endings) {
  const std::vector<std::string> drivers = split(flags.drivers, ',');
  std::printf("| bug |");
  for (const std::string& driver : drivers) std::printf(" %s |", driver.c_str());
  std::printf("\n|---|%s\n",
              [&] {
                std::string line;
                for (std::size_t i = 0; i < drivers.size(); ++i) line += "---:|";
                return line;
              }()
                  .c_str());
  std::map<std::pair<char, std::string>, std::pair<std::size_t, std::size_t>> sums;
  for (const Bug& bug : bugs) {
    std::printf("| `%s` |", bug.name.c_str());
    for (const std::string& driver : drivers) {
      const auto all = hits(flags, endings, bug, driver);
      const std::size_t count = solved(all, flags.runs);
      auto& [of, total] = sums[{bug.conditions, driver}];
      of += count;
      total += all.size();
      std::printf(" %s (%zu) |", median_text(all, flags.runs).c_str(), count);
    }
    std::printf("\n");
  }
  for (const char conditions : {'1', '2', '3'}) {
    std::printf("| solved, %c condition%s |", conditions, conditions == '1' ? "" : "s");
    for (const std::string& driver : drivers) {
      const auto [of, total] = sums[{conditions, driver}];
      std::printf(" %zu of %zu |", of, total);
    }
    std::printf("\n");
  }
  print_beside_random(flags, bugs, endings);
}

int run(const Flags& flags) {
  at::set_num_threads(1);
  load_library(flags.folder + "/planted.so");
  const std::vector<Bug> bugs = bugs_of(flags);
  if (bugs.empty()) {
    std::cerr << "search_bench: --bugs: none is like '" << flags.bugs << "'\n";
    return 2;
  }
  Endings endings = read_endings(flags.out, flags.runs);
  std::vector<Trial> trials;
  for (std::uint64_t seed = 0; seed < flags.seeds; ++seed) {  // whole rounds, if it is cut short
    for (const Bug& bug : bugs) {
      for (const std::string& driver : split(flags.drivers, ',')) {
        trials.push_back({bug.name, bug.reference, driver, seed, flags.runs});
        if (endings.contains(trials.back().key())) trials.pop_back();
      }
    }
  }
  std::ofstream file(flags.out, std::ios::app);
  std::size_t done = 0;
  const bool is_watched = isatty(STDERR_FILENO) == 1 && !trials.empty();
  run_trials(trials, flags.jobs, [&](const Trial& trial, const Ended& ended) {
    endings[trial.key()] = ended;
    file << Json{{"trial", trial.key()},
                 {"runs", trial.runs},
                 {"hit", ended.hit ? Json(*ended.hit) : Json()},
                 {"verdict", ended.verdict},
                 {"case", ended.stored.empty() ? Json() : Json::parse(ended.stored)}}
         << std::endl;
    ++done;
    if (is_watched) std::cerr << "\r" << done << " of " << trials.size() << " trials";
  });
  if (is_watched) std::cerr << "\n";
  print(flags, bugs, endings);
  return 0;
}

}  // namespace
}  // namespace plumb::bench

int main(int argc, char** argv) {
  plumb::bench::Flags flags;
  flags.folder = (std::filesystem::path(argv[0]).parent_path() / "../planted").string();
  CLI::App app("Medians of executions to the first failure (and seeds solved), by engine.");
  app.add_option("--bugs", flags.bugs, "a shell pattern")->option_text("GLOB=*");
  app.add_option("--drivers", flags.drivers, "by comma")->option_text("D,..");
  app.add_option("--seeds", flags.seeds, "of each bug and engine")->option_text("N=20");
  app.add_option("--runs", flags.runs, "then a search is given up")->option_text("N=200000");
  app.add_option("--jobs", flags.jobs, "searches at a time")->option_text("N=1");
  app.add_option("--out", flags.out, "where trials are written")->option_text("FILE");
  app.add_flag("--twins", flags.twins, "the healthy twins: every hit is a false alarm");
  CLI11_PARSE(app, argc, argv);
  return plumb::bench::run(flags);
}
