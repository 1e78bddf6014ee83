#include "fuzz/features.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <ATen/ATen.h>

#include "harness/dtype.hpp"

namespace plumb {
namespace {

// First cell of each group and its size; together kCellsOfOperator.
struct Group {
  std::size_t first;
  std::size_t size;
};
constexpr Group kVerdict{0, 128};    // verdict of the glance by dtype
constexpr Group kError{128, 48};     // log2 r
constexpr Group kKappa{176, 32};     // log2 κ by 2
constexpr Group kLargest{208, 128};  // log2 of the largest number by 8, of two tensors
constexpr Group kLeast{336, 128};    // of the least but 0
constexpr Group kTies{464, 32};      // how often the largest occurs, of two tensors
constexpr Group kOffset{496, 64};    // log2 |mean|/spread, of two tensors
constexpr Group kSigns{560, 16};     // which of −, 0, + occur, of two tensors
constexpr Group kShape{576, 96};     // log2 of the longest dimension, its remainders, thresholds
constexpr Group kLayout{672, 32};    // layouts of two tensors
constexpr Group kPlan{704, 32};
constexpr Group kJudged{736, 32};  // verdict of the harness
constexpr Group kPath{768, 256};   // hash of the path

std::int64_t log2_of(double value) {
  if (!(value > 0)) return -2000;
  return std::isinf(value) ? 2000 : static_cast<std::int64_t>(std::floor(std::log2(value)));
}

/// What is known of the numbers of a tensor after one pass.
struct Summary {
  double largest = 0;  // modulus, finite
  double least = INFINITY;
  double most = -std::numeric_limits<double>::infinity();  // greatest number
  std::int64_t ties = 0;
  double sum = 0;
  double low = INFINITY;
  unsigned signs = 0;
  bool special = false;
  std::int64_t count = 0;
};

template <typename T>
Summary summary_of(const T* data, std::int64_t count) {
  Summary s;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(data[i]);
    if (!std::isfinite(x)) {
      s.special = true;
      continue;
    }
    const double size = std::abs(x);
    s.largest = std::max(s.largest, size);
    if (size > 0) s.least = std::min(s.least, size);
    if (x > s.most) {
      s.most = x;
      s.ties = 0;
    }
    s.ties += x == s.most ? 1 : 0;
    s.low = std::min(s.low, x);
    s.sum += x;
    s.signs |= x < 0 ? 1U : x > 0 ? 4U : 2U;
    ++s.count;
  }
  return s;
}

Summary summary_of(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.contiguous();
  switch (dense.scalar_type()) {
    case at::kFloat: return summary_of(dense.const_data_ptr<float>(), dense.numel());
    case at::kDouble: return summary_of(dense.const_data_ptr<double>(), dense.numel());
    case at::kHalf: return summary_of(dense.const_data_ptr<at::Half>(), dense.numel());
    case at::kBFloat16: return summary_of(dense.const_data_ptr<at::BFloat16>(), dense.numel());
    default: return {};
  }
}

constexpr std::array<std::int64_t, 14> kThresholds = {8,   16,  25,  32,   64,   128,  256,
                                                      512, 600, 768, 1024, 1536, 2048, 4096};

}  // namespace

Features::Features(std::span<std::uint8_t> cells, std::span<std::uint8_t> known)
    : cells_(cells), own_(known.empty() ? kCells : 0), known_(known.empty() ? own_ : known) {
  lit_ = static_cast<std::size_t>(std::count(known_.begin(), known_.end(), 1));
}

void Features::begin(std::size_t op) {
  base_ = op % kOperators * kCellsOfOperator;
  fresh_ = false;
}

void Features::light(std::size_t group, std::size_t size, std::int64_t value) {
  const auto last = static_cast<std::int64_t>(size) - 1;
  const std::size_t cell =
      base_ + group + static_cast<std::size_t>(std::clamp<std::int64_t>(value, 0, last));
  cells_[cell] = 1;
  if (known_[cell]) return;
  known_[cell] = 1;
  fresh_ = true;
  ++lit_;
}

void Features::see_input(std::size_t number, const at::Tensor& tensor) {
  const Summary s = summary_of(tensor.resolve_conj().resolve_neg());
  const auto half = [&](const Group& group, std::int64_t value) {
    const std::size_t size = group.size / 2;
    light(group.first + number * size, size, value);
  };
  half(kSigns, s.signs);
  if (s.count == 0 || s.largest == 0) return;
  half(kLargest, log2_of(s.largest) / 8 + 32);
  half(kLeast, log2_of(s.least) / 8 + 32);
  half(kTies, std::min<std::int64_t>(s.ties, 8) + (s.ties == s.count ? 4 : 0));
  const double width = s.most - s.low;
  const double mean = std::abs(s.sum) / static_cast<double>(s.count);
  half(kOffset, width > 0 ? log2_of(mean / width) / 2 + 8 : 31);
}

void Features::see_judgement(const Glance& seen) {
  if (seen.worst.numeric) {
    const Distances& d = seen.worst.distances;
    if (d.r > 0) light(kError.first, kError.size, log2_of(d.r) + 16);
  }
  if (seen.kappa) light(kKappa.first, kKappa.size, log2_of(*seen.kappa) / 2 + 4);
}

void Features::see(const Genome& genome, const Inputs& inputs, const Glance& seen) {
  const std::int64_t verdict = seen.raised ? 31 : static_cast<std::int64_t>(seen.worst.verdict);
  light(kVerdict.first, kVerdict.size, verdict + std::int64_t{32} * (genome.dtype % 4));
  light(kPlan.first, kPlan.size, genome.plan % 16 + (genome.gradient ? 16 : 0));
  see_judgement(seen);
  std::size_t number = 0;
  inputs.each([&](const std::string&, const at::Tensor& tensor) {
    if (number == 2 || !tensor.defined() || !tensor.is_floating_point()) return;
    see_input(number, tensor);
    const std::size_t layout = genome.tensors[number].layout % 16;
    light(kLayout.first + number * 16, 16, static_cast<std::int64_t>(layout));
    ++number;
  });
  const std::int64_t n = longest_dimension(inputs);
  light(kShape.first, 16, log2_of(static_cast<double>(n)));
  light(kShape.first + 16, 32, n % 32);
  const auto above = std::upper_bound(kThresholds.begin(), kThresholds.end(), n);
  light(kShape.first + 48, 16, above - kThresholds.begin());
  for (const std::int64_t threshold : kThresholds) {
    if (n == threshold) light(kShape.first + 64, 32, above - kThresholds.begin());
    if (n == threshold + 1) light(kShape.first + 64, 32, above - kThresholds.begin() + 16);
  }
}

void Features::see(const Result& row) {
  light(kJudged.first, kJudged.size, static_cast<std::int64_t>(row.verdict));
  if (!row.path_hash.empty()) see(row.path_hash);
}

void Features::see(const std::string& path_hash) {
  const auto hash = std::stoul(path_hash, nullptr, 16);
  light(kPath.first, kPath.size, static_cast<std::int64_t>(hash % kPath.size));
}

}  // namespace plumb
