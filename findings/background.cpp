#include <algorithm>

#include "findings/draft.hpp"
#include "findings/passes.hpp"

namespace plumb {
namespace {

/// 0, 1 and the first element, in the spelling of the tensor.
std::vector<Json> backgrounds(const Json& spec, const TensorDraft& draft) {
  const Json& first = draft.values.front();
  if (first.is_array()) return {Json::array({0, 0}), Json::array({1, 0}), first};
  if (spec.value("dtype", "") == "bool") return {false, true};
  return {0, 1, first};
}

Json with_values(const Json& stored, const TensorPlace& place, TensorDraft draft,
                 const std::vector<std::size_t>& kept, const Json& background) {
  std::vector<Json> values(draft.values.size(), background);
  for (const std::size_t i : kept) values[i] = draft.values[i];
  draft.values = std::move(values);
  Json candidate = stored;
  candidate[place.at] = spec_of(draft);
  return candidate;
}

/// A tensor that is drawn becomes a constant.
void to_constant(Search& search, const TensorPlace& place) {
  for (const int value : {0, 1}) {
    Json candidate = search.best();
    Json& spec = candidate[place.at];
    if (spec.value("fill", "") == "constant") return;
    spec["fill"] = "constant";
    spec["params"] = {{"value", value}};
    if (search.attempt(std::move(candidate))) return;
  }
}

void flatten_values(Search& search, const TensorPlace& place) {
  const TensorDraft draft = draft_of(search.best()[place.at]);
  const auto candidates = backgrounds(search.best()[place.at], draft);
  for (const Json& background : candidates) {
    if (search.attempt(with_values(search.best(), place, draft, {}, background))) return;
  }
  if (draft.values.size() < 2) return;
  for (const Json& background : candidates) {
    const Json before = search.best();
    const int attempts = std::max(24, search.left() / 4);
    const auto kept = reduced(draft.values.size(), 1, attempts, [&](const auto& indices) {
      return search.attempt(with_values(before, place, draft, indices, background));
    });
    if (kept.size() < draft.values.size()) return;
  }
}

}  // namespace

void to_background(Search& search) {
  for (const TensorPlace& place : tensor_places(search.best())) {
    const Json spec = search.best()[place.at];  // a copy: the best changes
    const TensorDraft draft = draft_of(spec);
    if (draft.is_inline && !draft.values.empty()) flatten_values(search, place);
    if (spec.contains("fill")) to_constant(search, place);
  }
}

}  // namespace plumb
