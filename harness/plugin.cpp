#include "harness/plugin.hpp"

#include <cstdlib>
#include <filesystem>
#include <vector>
#include <dlfcn.h>

#include "harness/build_info.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders() {
  if (const char* chosen = std::getenv("PLUMB_PLUGINS")) return {chosen};
  std::vector<fs::path> folders;
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&load_plugin), &here) != 0 && here.dli_fname) {
    folders.push_back(fs::path(here.dli_fname).parent_path() / "plumbline");
  }
  folders.push_back(fs::path(kBuildFolder) / "plugins");
  return folders;
}

}  // namespace

Plugin load_plugin(const std::string& name, const char* symbol) {
  for (const fs::path& folder : folders()) {
    const fs::path file = folder / (name + ".so");
    std::error_code ignored;
    if (!fs::exists(file, ignored)) continue;
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return {nullptr, dlerror()};
    if (void* found = dlsym(library, symbol)) return {found, ""};
    return {nullptr, file.string() + " has no " + symbol};
  }
  return {nullptr, "this build has no " + name + ".so"};
}

}  // namespace plumb
