#pragma once

#include <filesystem>

namespace plumb {

/// Throws InputError, one sentence, unless files can be written into `folder`, which need not be
/// there yet. Finds out by making folders, below the nearest folder that is there and under a name
/// that no other call or process uses, so that runs that start at the same moment do not see each
/// other's attempts; leaves nothing behind.
void check_folder_writable(const std::filesystem::path& folder);

}  // namespace plumb
