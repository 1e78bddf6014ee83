#include <array>

#include "findings/draft.hpp"
#include "findings/passes.hpp"

namespace plumb {
namespace {

constexpr std::array kLayoutKeys = {"strides", "offset", "view"};

void erase_layout(Json& spec) {
  for (const char* key : kLayoutKeys) spec.erase(key);
}

}  // namespace

void plain_layout(Search& search) {
  Json all = search.best();
  for (const TensorPlace& place : tensor_places(all)) erase_layout(all[place.at]);
  if (all == search.best() || search.attempt(std::move(all))) return;
  for (const TensorPlace& place : tensor_places(search.best())) {
    Json one = search.best();
    erase_layout(one[place.at]);
    if (one == search.best() || search.attempt(std::move(one))) continue;
    for (const char* key : kLayoutKeys) {
      Json without = search.best();
      without[place.at].erase(key);
      if (without != search.best()) search.attempt(std::move(without));
    }
  }
}

}  // namespace plumb
