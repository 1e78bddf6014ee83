#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plumb {

/// A bad flag, name or value on the command line: exit 2. The text is one sentence for the person.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A bad file: exit 2. The text is one sentence naming file, field and what was expected.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The candidate with the least edit distance to `given` (the first on ties), or "" if there are
/// no candidates. Distances count inserted, deleted, replaced and swapped neighbouring characters.
std::string nearest(std::string_view given, std::span<const std::string> candidates);

/// What to add to a sentence about an unknown word: "; nearest is 'softmax'" where a candidate is a
/// slip of the keyboard away (a third of its characters at most), else the candidates where they
/// are few enough to read, else "".
std::string suggestion(std::string_view given, std::span<const std::string> candidates);

/// A name from outside, fit for a sentence: in double quotes, cut after 80 bytes, and with anything
/// that is not printable ASCII replaced by '?'.
std::string quote_name(std::string_view name);

}  // namespace plumb
