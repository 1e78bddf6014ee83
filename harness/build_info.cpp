#include "harness/build_info.hpp"

namespace plumb {

const std::string_view kVersion = PLUMB_VERSION;
const std::string_view kGitRevision = PLUMB_GIT;
const std::string_view kSmollm2Path = PLUMB_SMOLLM2_DEFAULT;
const std::string_view kMinilmPath = PLUMB_MINILM_DEFAULT;

const std::string_view kPythonPath = PLUMB_PYTHON;
const std::string_view kBuildFolder = PLUMB_BUILD;
const std::string_view kNoCudaPlugin = PLUMB_NO_CUDA;

}  // namespace plumb
