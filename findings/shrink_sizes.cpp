#include <algorithm>
#include <map>
#include <set>

#include "findings/draft.hpp"
#include "findings/passes.hpp"

namespace plumb {
namespace {

struct Dimension {
  TensorPlace place;
  std::size_t dim = 0;
};

/// What follows a size besides the dimensions that have it: normalized_shape, output_size, groups.
enum class Followers { lists_and_integers, lists, none };

std::vector<Dimension> dimensions_of(const Json& stored, std::int64_t size) {
  std::vector<Dimension> found;
  for (const TensorPlace& place : tensor_places(stored)) {
    const TensorDraft draft = draft_of(stored[place.at]);
    for (std::size_t d = 0; d < draft.shape.size(); ++d) {
      if (draft.shape[d] == size) found.push_back({place, d});
    }
  }
  return found;
}

void follow_in(Json& args, std::int64_t from, std::int64_t to, Followers followers) {
  for (auto& [name, value] : args.items()) {
    if (value.is_number_integer() && followers == Followers::lists_and_integers && value == from) {
      value = to;
    }
    if (!value.is_array()) continue;
    for (Json& item : value) {
      if (item.is_number_integer() && item == from) item = to;
    }
  }
}

void follow(Json& stored, std::int64_t from, std::int64_t to, Followers followers) {
  if (followers == Followers::none) return;
  if (stored.contains("args")) follow_in(stored["args"], from, to, followers);
  if (!stored.contains("steps")) return;
  for (Json& step : stored["steps"]) {
    if (step.contains("args")) follow_in(step["args"], from, to, followers);
  }
}

/// The case with these indices alone of the dimensions.
Json with_indices(const Json& stored, const std::vector<Dimension>& dimensions, std::int64_t size,
                  const std::vector<std::size_t>& kept, Followers followers) {
  Json candidate = stored;
  for (const Dimension& dimension : dimensions) {
    TensorDraft draft = draft_of(candidate[dimension.place.at]);
    keep_indices(draft, dimension.dim, kept);
    candidate[dimension.place.at] = spec_of(draft);
  }
  follow(candidate, size, static_cast<std::int64_t>(kept.size()), followers);
  return candidate;
}

bool shrink(Search& search, const std::vector<Dimension>& dimensions, std::int64_t size,
            Followers followers) {
  const Json before = search.best();
  const int attempts = std::max(24, search.left() / 4);
  const auto kept = reduced(
      static_cast<std::size_t>(size), 1, attempts, [&](const std::vector<std::size_t>& indices) {
        return search.attempt(with_indices(before, dimensions, size, indices, followers));
      });
  return static_cast<std::int64_t>(kept.size()) < size;
}

/// Sizes above 1, the largest first.
std::set<std::int64_t, std::greater<>> sizes_of(const Json& stored) {
  std::set<std::int64_t, std::greater<>> sizes;
  for (const TensorPlace& place : tensor_places(stored)) {
    for (const std::int64_t size : draft_of(stored[place.at]).shape) {
      if (size > 1) sizes.insert(size);
    }
  }
  return sizes;
}

void shrink_size(Search& search, std::int64_t size) {
  const auto dimensions = dimensions_of(search.best(), size);
  std::set<std::string> tried;
  for (const Followers followers :
       {Followers::none, Followers::lists, Followers::lists_and_integers}) {
    Json probe = search.best();
    follow(probe, size, 1, followers);
    if (!tried.insert(probe.dump()).second) continue;
    if (shrink(search, dimensions, size, followers)) return;
  }
  if (dimensions.size() < 2) return;
  for (const Dimension& one : dimensions) shrink(search, {one}, size, Followers::none);
}

/// The case with the dimensions of size 1 that `which` chooses dropped from the places.
Json without_ones(const Json& stored, const std::vector<TensorPlace>& places, bool leading_alone) {
  Json candidate = stored;
  for (const TensorPlace& place : places) {
    TensorDraft draft = draft_of(candidate[place.at]);
    for (std::size_t d = draft.shape.size(); d-- > 0;) {
      const bool chosen = draft.shape[d] == 1 && (!leading_alone || d == 0);
      if (chosen) drop_dimension(draft, d);
    }
    candidate[place.at] = spec_of(draft);
  }
  return candidate;
}

void lower_rank(Search& search) {
  const auto places = tensor_places(search.best());
  if (search.attempt(without_ones(search.best(), places, false))) return;
  while (search.attempt(without_ones(search.best(), places, true))) {
  }
  if (places.size() < 2) return;
  for (const TensorPlace& place : places) {
    if (search.attempt(without_ones(search.best(), {place}, false))) continue;
    while (search.attempt(without_ones(search.best(), {place}, true))) {
    }
  }
}

}  // namespace

void shrink_sizes(Search& search) {
  for (const std::int64_t size : sizes_of(search.best())) shrink_size(search, size);
  lower_rank(search);
}

}  // namespace plumb
