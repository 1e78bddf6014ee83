#include "harness/errors.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace plumb {
namespace {

// Optimal string alignment: Levenshtein's distance, with a swap of neighbours as one edit.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

}  // namespace

std::string nearest(std::string_view given, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : candidates) {
    const std::size_t longer = std::max(given.size(), candidate.size());
    if (longer - std::min(given.size(), candidate.size()) >= least) continue;
    const std::size_t distance = edit_distance(given, candidate);
    if (distance >= least) continue;
    least = distance;
    best = &candidate;
  }
  return best == nullptr ? std::string() : *best;
}

std::string suggestion(std::string_view given, std::span<const std::string> candidates) {
  constexpr std::size_t kFew = 32;
  const std::string close = nearest(given, candidates);
  const std::size_t slip = std::max<std::size_t>(std::max(given.size(), close.size()) / 3, 1);
  if (!close.empty() && edit_distance(given, close) <= slip) return "; nearest is '" + close + "'";
  if (candidates.empty() || candidates.size() > kFew) return "";
  std::string list;
  for (const std::string& word : candidates) list += (list.empty() ? "" : ", ") + word;
  return "; expected " + std::string(candidates.size() > 1 ? "one of " : "") + list;
}

std::string quote_name(std::string_view name) {
  constexpr std::size_t kMost = 80;
  std::string text(name.substr(0, kMost));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return '"' + text + (name.size() > kMost ? "…\"" : "\"");
}

}  // namespace plumb
