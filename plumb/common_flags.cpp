#include <algorithm>
#include <charconv>
#include <cmath>

#include "findings/known.hpp"
#include "harness/dtype.hpp"
#include "harness/errors.hpp"
#include "harness/library.hpp"
#include "harness/oracle.hpp"
#include "harness/reference.hpp"
#include "harness/relation.hpp"
#include "harness/text.hpp"
#include "harness/variant.hpp"
#include "plumb/command.hpp"
#include "plumb/time_flag.hpp"

namespace plumb {
namespace {

/// "4GiB" → 4 and "GiB"; NaN and the whole text where it begins with no number.
std::pair<double, std::string> number_and_unit(const std::string& text) {
  try {
    std::size_t end = 0;
    const double value = std::stod(text, &end);
    return {value, text.substr(end)};
  } catch (const std::exception&) {
    return {NAN, text};
  }
}

/// "4GiB", "512MiB" → bytes.
std::uint64_t bytes_from(const std::string& text) {
  const auto [value, unit] = number_and_unit(text);
  const double factor = unit == "GiB"   ? 0x1p30
                        : unit == "MiB" ? 0x1p20
                        : unit == "KiB" ? 0x1p10
                                        : 0;
  if (factor == 0 || !(value * factor >= 1024) || value * factor > 0x1p50) {
    throw UsageError("--memory: expected a size such as 4GiB or 512MiB, at least 1KiB, not '" +
                     text + "'");
  }
  return static_cast<std::uint64_t>(value * factor);
}

/// A seed is a whole number: "-1" and "1e3" are not.
std::uint64_t seed_from(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc() && end == text.data() + text.size()) return seed;
  throw UsageError("--seed: expected a whole number from 0 to 18446744073709551615, not '" + text +
                   "'");
}

/// The words of a list by comma, each once, spelled as `canonical` spells them.
/// An empty shell variable must not mean the default.
std::string names_something(const std::string& text) {
  return text.find_first_not_of(", ") == std::string::npos ? "expected a name, not ''" : "";
}

std::vector<std::string> words_of(const std::string& text,
                                  const std::function<std::string(const std::string&)>& canonical) {
  std::vector<std::string> words;
  for (const std::string& word : split(text, ',')) {
    const std::string spelled = canonical(word);
    if (std::find(words.begin(), words.end(), spelled) == words.end()) words.push_back(spelled);
  }
  return words;
}

std::vector<std::string> relations_of(const std::string& text) {
  std::vector<std::string> names;
  for (const std::string& word : split(text, ',')) {
    for (const std::string& name : relations_from(word)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::string dtype_word(const std::string& word) {
  const c10::ScalarType dtype = dtype_or_usage_error(word);
  if (c10::isFloatingType(dtype)) return dtype_name(dtype);
  throw UsageError("--dtype: expected a floating type such as f32 or bf16, not '" + word + "'");
}

void check_oracle(const std::string& name) {
  std::vector<std::string> known = Registry<Oracle>::instance().names();
  known.emplace_back("auto");
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw UsageError("unknown oracle '" + name + "'" + suggestion(name, known));
}

}  // namespace

double seconds_from(const std::string& flag, const std::string& text) {
  const auto [value, unit] = number_and_unit(text);
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  constexpr double kMost = 480 * 3600;  // milliseconds beyond it would not fit an int
  if (factor == 0 || !(value > 0) || !(value * factor <= kMost)) {
    throw UsageError(flag + ": expected a time such as 60s or 5m, at most 480h, not '" + text +
                     "'");
  }
  return value * factor;
}

void CommonFlags::add_to(CLI::App& app) {
  app.add_option("--variant", variants, "variants, by comma; default: the case's own, or eager")
      ->option_text("V,..")
      ->check(names_something);
  app.add_option("--dtype", dtypes, "types, by comma, such as f32,bf16; default: those declared")
      ->option_text("D,..")
      ->check(names_something);
  app.add_option("--device", devices, "cpu, cuda or all; default: the case's own, or cpu")
      ->option_text("D,..")
      ->check(names_something);
  seed_flag_ = app.add_option("--seed", seed, "seed of generated inputs and probes")
                   ->option_text("N=" + seed);
  app.add_option("--threads", options.threads, "intra-op threads of each worker, at most 1024")
      ->option_text("N=" + std::to_string(options.threads))
      ->check(CLI::Range(1, 1024));
  app.add_option("--jobs", options.jobs, "worker processes; default: cores / threads")
      ->option_text("N")
      ->check(CLI::Range(1, 1024));
  app.add_option("--timeout", timeout, "deadline of one case; waiting for a processor is free")
      ->option_text("TIME=" + timeout)
      ->take_last();
  app.add_option("--memory", memory, "memory of one case")->option_text("SIZE=" + memory);
  app.add_option("--oracle", options.oracle, "auto, fp64, fp32 or quad")
      ->option_text("O=" + options.oracle);
  app.add_option("--contract", options.contract, "fused or composite, not what is declared")
      ->option_text("C")
      ->check(CLI::IsMember({"fused", "composite"}));
  app.add_option("--repeat", options.repeat, "runs per case; they must agree in bits")
      ->option_text("N=" + std::to_string(options.repeat))
      ->check(CLI::Range(1, 1000000));
  relations_flag_ =
      app.add_option("--relations", relations,
                     "must hold too, by comma: plumb list relations; all, usual, none")
          ->option_text("R,..");
  app.add_option("--load-library", options.libraries,
                 "registers operators of its own, by running its code; repeatable")
      ->option_text("LIB.so")
      ->allow_extra_args(false);
  app.add_option("--reference", options.references,
                 "says, in a wider type, what is right for GLOB, or for all; repeatable")
      ->option_text("[GLOB=]OP")
      ->allow_extra_args(false);
  app.add_flag("--json", json, "print the results as JSON and nothing else")
      ->disable_flag_override();
  app.add_flag("--quiet", quiet, "print only what is not ok")->disable_flag_override();
}

void CommonFlags::add_out_to(CLI::App& app) {
  app.add_option("--out", out, "folder for results.json and reports; the last one given counts")
      ->option_text("DIR=" + out)
      ->take_last();
}

void CommonFlags::add_known_to(CLI::App& app) {
  app.add_option("--known", known, "failures that do not count, with reason and end")
      ->option_text("FILE")
      ->check(names_something)
      ->take_last();
}

KnownIssues CommonFlags::known_issues() const {
  return known.empty() ? KnownIssues() : KnownIssues(known);
}

void leave_out_of_help(CLI::App& app, const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) app.get_option(flag)->group("");
}

Options CommonFlags::read() const {
  Options read = options;
  read.seed = seed_from(seed);
  read.seed_given = seed_flag_ != nullptr && seed_flag_->count() > 0;
  read.limits.timeout_seconds = seconds_from("--timeout", timeout);
  read.limits.memory_bytes = bytes_from(memory);
  check_oracle(read.oracle);
  for (const std::string& file : read.libraries) load_library_carefully(file);
  for (std::string& text : read.references) {
    const ReferenceRule rule = reference_rule(text);
    check_known(rule);
    text = rule.text();
  }
  read.variants = words_of(variants, [](const auto& w) { return variant_or_usage_error(w).name; });
  read.dtypes = words_of(dtypes, dtype_word);
  read.relations = relations_of(relations);
  read.relations_given = relations_flag_ != nullptr && relations_flag_->count() > 0;
  read.devices = words_of(devices == "all" ? "cpu,cuda" : devices,
                          [](const auto& w) { return device_or_usage_error(w).str(); });
  return read;
}

}  // namespace plumb
