#include <cmath>

#include "harness/errors.hpp"
#include "harness/text.hpp"
#include "plumb/command.hpp"

namespace plumb {
namespace {

/// "60s", "5m", "90" → seconds.
double seconds_from(const std::string& text) {
  std::size_t end = 0;
  double value = NAN;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  const std::string unit = text.substr(end);
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (end == 0 || factor == 0 || !(value > 0) || !std::isfinite(value)) {
    throw UsageError("--timeout: expected a time such as 60s or 5m, not '" + text + "'");
  }
  return value * factor;
}

/// "4GiB", "512MiB" → bytes.
std::uint64_t bytes_from(const std::string& text) {
  std::size_t end = 0;
  double value = NAN;
  try {
    value = std::stod(text, &end);
  } catch (const std::exception&) {
    end = 0;
  }
  const std::string unit = text.substr(end);
  const double factor = unit == "GiB"   ? 0x1p30
                        : unit == "MiB" ? 0x1p20
                        : unit == "KiB" ? 0x1p10
                                        : 0;
  if (end == 0 || factor == 0 || !(value > 0) || value * factor > 0x1p50) {
    throw UsageError("--memory: expected a size such as 4GiB or 512MiB, not '" + text + "'");
  }
  return static_cast<std::uint64_t>(value * factor);
}

}  // namespace

void CommonFlags::add_to(CLI::App& app) {
  app.add_option("--seed", options.seed, "seed of generated inputs and probes")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "intra-op threads of each worker")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  app.add_option("--jobs", options.jobs, "worker processes; default: cores / threads")
      ->check(CLI::Range(1, 1024));
  app.add_option("--timeout", timeout, "deadline of one case, waiting for a processor not counted")
      ->capture_default_str();
  app.add_option("--memory", memory, "memory of one case")->capture_default_str();
  app.add_option("--out", out, "folder for results.json and reports")->capture_default_str();
  app.add_option("--oracle", options.oracle, "auto, fp64, fp32 or quad")->capture_default_str();
  app.add_option("--contract", options.contract, "fused or composite, instead of the declared one");
  app.add_option("--repeat", options.repeat, "runs per case; they must agree in bits")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000));
  app.add_option("--relations", relations, "metamorphic relations that must hold, by comma");
  app.add_flag("--json", json, "print results.json to standard output and nothing else");
  app.add_flag("--quiet", quiet, "print only what is not ok");
}

Options CommonFlags::read() const {
  Options read = options;
  read.limits.timeout_seconds = seconds_from(timeout);
  read.limits.memory_bytes = bytes_from(memory);
  read.variants = split(variants, ',');
  read.dtypes = split(dtypes, ',');
  read.relations = split(relations, ',');
  read.devices = devices == "all" ? std::vector<std::string>{"cpu", "cuda"} : split(devices, ',');
  return read;
}

}  // namespace plumb
