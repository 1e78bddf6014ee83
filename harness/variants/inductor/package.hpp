#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/variants/inductor/calls.hpp"

namespace plumb::inductor {

/// Why nothing can be compiled here, in words; empty where it can.
std::optional<std::string> why_no_compiler();

/// Hash of calls, constants and torch, by which a package of these programs is kept.
std::string key_of(const std::vector<Calls>& programs);

/// Some of the programs asked for, in one package that runs them all one after the other.
struct Package {
  std::vector<std::size_t> programs;  // places in what was asked for
  std::filesystem::path file;         // empty where the compiler refused
  std::string why_not;                // what it said then, of one program
};

/// What a person reads of a program that the compiler refused in these words.
std::string refusal(const std::string& words);

/// A package for each group of places in `programs`, or several where the compiler takes no single
/// one: from the cache, or compiled by the Python beside torch, which takes 20 s of processor time
/// for the first and less than a second for each further program of a group. The cache is
/// $PLUMB_CACHE/inductor, by default in the build folder.
std::vector<Package> packages_of(const std::vector<Calls>& programs,
                                 const std::vector<std::vector<std::size_t>>& groups);

/// The package of one program. CannotRun with what the compiler says.
std::filesystem::path package_of(const Calls& calls);

}  // namespace plumb::inductor
