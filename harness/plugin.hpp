#pragma once

#include <string>

namespace plumb {

/// A shared library of ours that is loaded at first use, for what not every machine can run.
struct Plugin {
  void* symbol = nullptr;
  std::string why;  // there is none, in words, where `symbol` is null
};

/// `symbol` of `name`.so, looked for in $PLUMB_PLUGINS, beside the installed library and in the
/// build folder. Call it once for each and keep what it gives.
Plugin load_plugin(const std::string& name, const char* symbol);

}  // namespace plumb
