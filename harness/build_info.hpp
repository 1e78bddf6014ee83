#pragma once

#include <string_view>

namespace plumb {

extern const std::string_view kVersion;      // of Plumbline
extern const std::string_view kGitRevision;  // at configure time; "unknown" outside a checkout
extern const std::string_view kSmollm2Path;  // where configure found the GGUF; may be empty
extern const std::string_view kMinilmPath;   // where it found the safetensors; may be empty

extern const std::string_view kPythonPath;    // the interpreter that torch was installed for
extern const std::string_view kBuildFolder;   // where this program was built
extern const std::string_view kNoCudaPlugin;  // why none was built; empty where one was

}  // namespace plumb
