#include "findings/search.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace plumb {

Search::Search(Json start, int budget, StillFails still_fails)
    : best_(std::move(start)), budget_(budget), still_fails_(std::move(still_fails)) {
  asked_.insert(std::hash<std::string>()(best_.dump()));
}

bool Search::attempt(Json candidate) {
  if (exhausted()) return false;
  if (!asked_.insert(std::hash<std::string>()(candidate.dump())).second) return false;
  ++evaluations_;
  if (!still_fails_(candidate)) return false;
  best_ = std::move(candidate);
  return true;
}

namespace {

using Kept = std::vector<std::size_t>;

constexpr std::size_t kMostPartsInVain = 16;

/// The part of `kept` that is chunk `index` of `chunks`, or all but it.
Kept part_of(const Kept& kept, std::size_t index, std::size_t chunks, bool complement) {
  const std::size_t from = kept.size() * index / chunks;
  const std::size_t to = kept.size() * (index + 1) / chunks;
  Kept part;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const bool inside = i >= from && i < to;
    if (inside != complement) part.push_back(kept[i]);
  }
  return part;
}

/// One round over all chunks, then over what is left without each.
class Round {
 public:
  Round(std::size_t least, int attempts, const std::function<bool(const Kept&)>& still_fails)
      : least_(least), left_(attempts), still_fails_(still_fails) {}

  bool exhausted() const { return left_ <= 0; }

  bool smaller(Kept& kept, std::size_t chunks, bool complement) {
    for (std::size_t i = 0; i < chunks && !exhausted(); ++i) {
      Kept part = part_of(kept, i, chunks, complement);
      if (part.size() < least_ || part.size() == kept.size() || !ask(part)) continue;
      kept = std::move(part);
      return true;
    }
    return false;
  }

  bool ask(const Kept& part) {
    --left_;
    return still_fails_(part);
  }

 private:
  std::size_t least_;
  int left_;
  const std::function<bool(const Kept&)>& still_fails_;
};

}  // namespace

std::vector<std::size_t> reduced(std::size_t count, std::size_t least, int attempts,
                                 const std::function<bool(const Kept& kept)>& still_fails) {
  Kept kept(count);
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  Round round(least, attempts, still_fails);
  if (least == 0 && count > 0 && !round.exhausted() && round.ask({})) return {};
  std::size_t chunks = 2;
  while (kept.size() > least && kept.size() > 1 && !round.exhausted()) {
    chunks = std::min(chunks, kept.size());
    if (round.smaller(kept, chunks, /*complement=*/false)) {
      chunks = 2;
    } else if (chunks > 2 && round.smaller(kept, chunks, /*complement=*/true)) {
      --chunks;
    } else {
      const bool in_vain = kept.size() == count && chunks >= kMostPartsInVain;
      if (chunks == kept.size() || in_vain) break;
      chunks *= 2;
    }
  }
  return kept;
}

}  // namespace plumb
