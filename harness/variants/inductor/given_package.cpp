#include "harness/variants/inductor/given_package.hpp"

#include <cstdlib>
#include <iostream>
#include <sstream>

#include <torch/csrc/inductor/aoti_package/model_package_loader.h>

#include "harness/errors.hpp"
#include "harness/raised.hpp"
#include "harness/trace.hpp"
#include "harness/variants/inductor/recorded.hpp"

namespace plumb::inductor {
namespace {

using Loader = torch::inductor::AOTIModelPackageLoader;

/// Compiled code prints what it throws, and torch 2.11 throws on only that a call failed.
class CaughtErrors {
 public:
  CaughtErrors() : before_(std::cerr.rdbuf(text_.rdbuf())) {}
  ~CaughtErrors() { std::cerr.rdbuf(before_); }
  CaughtErrors(const CaughtErrors&) = delete;

  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

/// What a check of inputs says in this text; empty where it holds none.
std::string check_in(const std::string& text) {
  for (const char* beginning : {"input_handles[", "expected inputs"}) {
    const std::size_t at = text.find(beginning);
    if (at != std::string::npos) return text.substr(at, text.find('\n', at) - at);
  }
  return "";
}

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
  const CaughtErrors printed;
  try {
    return run();
  } catch (const std::exception& error) {
    for (const std::string& text : {message_of(error), printed.text()}) {
      if (const std::string check = check_in(text); !check.empty()) throw OtherInputs(check);
    }
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
