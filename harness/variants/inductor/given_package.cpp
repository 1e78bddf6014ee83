#include "harness/variants/inductor/given_package.hpp"

#include <cstdlib>
#include <iostream>

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include "harness/errors.hpp"
#include "harness/raised.hpp"
#include "harness/trace.hpp"
#include "harness/variants/inductor/recorded.hpp"

namespace plumb::inductor {
namespace {

using Loader = torch::inductor::AOTIModelPackageLoader;

/// Compiled code prints what it throws too.
class SilentErrors {
 public:
  SilentErrors() : buffer_(std::cerr.rdbuf(nullptr)) {}
  ~SilentErrors() { std::cerr.rdbuf(buffer_); }
  SilentErrors(const SilentErrors&) = delete;

 private:
  std::streambuf* buffer_;
};

[[noreturn]] void refuse(const Program& program, const std::string& why) {
  throw InputError("model: '" + program.package + "' " + why);
}

std::shared_ptr<Loader> opened(const Program& program) {
  check_inputs();
  try {
    return std::make_shared<Loader>(program.package, "model", /*run_single_threaded=*/true);
  } catch (const std::exception& error) {
    const std::string text = message_of(error);
    if (text.find("libtorch.so: cannot open") != std::string::npos) {
      refuse(program,
             "is linked to libtorch.so, whose CUDA half plumb does not load; compile it with "
             "inductor_configs={\"aot_inductor.link_libtorch\": False}");
    }
    refuse(program, "is no AOTInductor package that can be loaded: " + text);
  }
}

}  // namespace

void check_inputs() { setenv("AOTI_RUNTIME_CHECK_INPUTS", "1", 1); }

std::vector<at::Tensor> checked(const std::function<std::vector<at::Tensor>()>& run) {
  try {
    const SilentErrors silent;
    return run();
  } catch (const std::exception& error) {
    const std::string text = message_of(error);
    const bool is_check = text.starts_with("input_handles[") || text.starts_with("expected inputs");
    if (is_check) throw OtherInputs(text);
    throw;
  }
}

Prepared given_package(const Program& program) {
  const TracePause pause;
  const std::shared_ptr<Loader> loader = opened(program);
  return [loader, program](const Inputs& inputs) {
    Outputs outputs;
    try {
      for (at::Tensor& tensor : checked([&] { return loader->run(plain(tensors_of(inputs))); })) {
        outputs.push_back({"output " + std::to_string(outputs.size()), std::move(tensor)});
      }
    } catch (const OtherInputs& why) {
      refuse(program, std::string("takes other inputs: ") + why.what());
    }
    return Execution(std::move(outputs));
  };
}

}  // namespace plumb::inductor
