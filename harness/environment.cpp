#include "harness/environment.hpp"

#include <ctime>

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <ATen/native/DispatchStub.h>
#include <torch/version.h>

#include "harness/build_info.hpp"

namespace plumb {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

Environment environment_here(std::uint64_t seed, int threads) {
  Environment environment;
  environment.plumb = kVersion;
  environment.git = kGitRevision;
  environment.torch = TORCH_VERSION;
  environment.cpu_capability = at::get_cpu_capability();
  environment.threads = threads;
  environment.seed = seed;
  environment.time = utc_now();
  return environment;
}

}  // namespace plumb
