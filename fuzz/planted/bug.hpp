// What a planted bug says of itself, and how it enters the library.

#pragma once

#include <string>

#include <torch/library.h>

namespace planted {

struct Bug {
  std::string schema;     // its name ends in _1, _2 or _3: that many conditions must meet
  std::string reference;  // the operator of torch that says what is right
  std::string kind;
  std::string trigger;  // in words
};

/// What the library registers; `planted_table` prints it.
void add(const Bug& bug);

/// Registers NAME, which has the mistake, and NAME_ok, which takes the same decisions and has not.
template <typename Kernel>
void plant(torch::Library& library, const Bug& bug, Kernel* wrong, Kernel* right) {
  const std::size_t end = bug.schema.find('(');
  const std::string name = bug.schema.substr(0, end);
  const std::string healthy = name + "_ok";
  library.def(bug.schema.c_str());
  library.def((healthy + bug.schema.substr(end)).c_str());
  library.impl(name.c_str(), torch::dispatch(c10::DispatchKey::CPU, wrong));
  library.impl(healthy.c_str(), torch::dispatch(c10::DispatchKey::CPU, right));
  add(bug);
}

}  // namespace planted
