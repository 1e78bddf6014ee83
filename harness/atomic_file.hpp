#pragma once

#include <filesystem>
#include <string_view>

namespace plumb {

/// Writes the file whole or not at all: a temporary file in the same folder, then rename. Makes the
/// folders above it. A symbolic link keeps pointing to what is written; a device or pipe, which
/// cannot be replaced, is written to. Not synced to disk: a power cut may lose it, not tear a
/// reader. Throws InputError, one sentence, and leaves nothing behind.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

}  // namespace plumb
