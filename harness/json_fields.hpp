#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/result.hpp"

namespace plumb {

/// Helpers to read untrusted JSON. All throw InputError with one sentence that begins with `where`
/// ("net.json: args.query") and says what was expected.

/// The object has no keys but these.
void check_object(const Json& json, const std::string& where,
                  const std::vector<std::string>& allowed);

/// A number, or "nan", "inf", "-inf", or a hexadecimal float "0x1.8p-3".
double parse_number(const Json& json, const std::string& where);

std::string string_field(const Json& json, const std::string& key, const std::string& where);

/// An absent key is an empty list; a single string is a list of one.
std::vector<std::string> string_list(const Json& json, const std::string& key,
                                     const std::string& where);

/// An integer of 64 bits with its sign.
std::int64_t integer(const Json& json, const std::string& where);

/// An integer from 0 to 2^64-1.
std::uint64_t natural(const Json& json, const std::string& where);

/// What was found, short enough for a sentence.
std::string excerpt(const Json& json);

/// Parses a text that may come from anyone: nested at most 64 deep, so that no later walk over it
/// can exhaust the stack, and no key twice in an object. `where` is the file. Says at which byte
/// it is broken.
Json parse_json(std::string_view text, const std::string& where);

/// Reads and parses a file of at most 1 GiB.
Json read_json_file(const std::string& path);

}  // namespace plumb
