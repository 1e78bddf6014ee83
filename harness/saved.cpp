#include "harness/saved.hpp"

#include <unordered_set>

#include <ATen/ATen.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

namespace plumb {
namespace {

using torch::autograd::SavedVariableHooks;

/// What a living SavedResults asks for.
struct Request {
  SavedResults::Change change;
  std::unordered_set<const void*> inputs{};  // storages

  bool concerns(const at::Tensor& tensor) const {
    const bool is_real = tensor.is_floating_point() || tensor.is_complex();
    return is_real && tensor.has_storage() && !inputs.contains(storage_of(tensor));
  }

  static const void* storage_of(const at::Tensor& tensor) {
    return tensor.storage().unsafeGetStorageImpl();
  }
};

thread_local const Request* current = nullptr;

class ChangeWhenSaved : public SavedVariableHooks {
 public:
  void call_pack_hook(const at::Tensor& tensor) override {
    const at::NoGradGuard no_grad;
    const at::Tensor plain = tensor.detach();
    kept_ = current != nullptr && current->concerns(plain) ? current->change(plain) : plain;
  }
  at::Tensor call_unpack_hook() override { return kept_; }

 private:
  at::Tensor kept_;
};

/// The one place where libtorch lets C++ see what is saved: Python's saved-tensor hooks hang on the
/// same method.
class Engine : public torch::autograd::Engine {
 public:
  std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks() override {
    return current != nullptr ? std::make_unique<ChangeWhenSaved>() : nullptr;
  }

  static torch::autograd::Engine& instance() {
    static Engine engine;
    return engine;
  }
};

}  // namespace

SavedResults::SavedResults(const Inputs& inputs, Change change) {
  static const bool installed = (torch::autograd::set_default_engine_stub(&Engine::instance), true);
  static_cast<void>(installed);
  auto request = std::make_unique<Request>(Request{std::move(change)});
  inputs.each([&](const std::string&, const at::Tensor& tensor) {
    if (tensor.has_storage()) request->inputs.insert(Request::storage_of(tensor));
  });
  current = request.release();
}

SavedResults::~SavedResults() {
  delete current;
  current = nullptr;
}

}  // namespace plumb
