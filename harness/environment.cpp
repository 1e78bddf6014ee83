#include "harness/environment.hpp"

#include <ctime>

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <ATen/native/DispatchStub.h>
#include <torch/version.h>

#include "harness/build_info.hpp"
#include "harness/device_plugin.hpp"
#include "harness/task.hpp"

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

Json serve_versions(const Json&, const Zygote::Announce&) {
  const DevicePlugin* plugin = cuda_plugin();
  if (plugin == nullptr) return Json::object();
  const DeviceVersions versions = plugin->versions();
  const DeviceInfo device = plugin->devices().front();
  return {{"cuda", versions.runtime + ", cuDNN " + versions.dnn},
          {"cublas", versions.blas},
          {"driver", versions.driver + " on " + device.name + " (" + device.capability + ")"}};
}

const Register<TaskKind> registered{{.name = "cuda-versions", .serve = serve_versions}};

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

void add_cuda(Environment& environment, Zygote& zygote) {
  const Json request = {{"kind", "cuda-versions"}, {"device", "cuda"}};
  run_isolated(zygote, {request}, 1, {}, [&](std::size_t, const Outcome& outcome) {
    if (!outcome.answered() || !outcome.answer.contains("cuda")) return;
    environment.cuda = outcome.answer["cuda"];
    environment.cublas = outcome.answer["cublas"];
    environment.driver = outcome.answer["driver"];
  });
}

}  // namespace plumb
