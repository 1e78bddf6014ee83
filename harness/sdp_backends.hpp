#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/SDPBackend.h>

namespace plumb {

/// While it lives, scaled_dot_product_attention may choose among these back ends alone.
class OnlyBackends {
 public:
  explicit OnlyBackends(const std::vector<at::SDPBackend>& allowed);
  ~OnlyBackends();
  OnlyBackends(const OnlyBackends&) = delete;
  OnlyBackends& operator=(const OnlyBackends&) = delete;

 private:
  bool flash_, efficient_, cudnn_, math_;
};

/// torch's own reasons for taking none of the back ends allowed while `call` runs, joined; empty
/// if it took one. Other errors pass through.
std::optional<std::string> refusal_of_backends(const std::function<void()>& call);

}  // namespace plumb
