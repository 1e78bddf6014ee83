// The device's comparison, run thread by thread on the host, against the host's own.

#include "harness/compare_grid.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/compare_samples.hpp"

namespace plumb {
namespace {

using grid::Cell;

/// What merge_block in harness/cuda/compare.cu does, in the same order.
Cell merged(std::vector<Cell> cells) {
  for (std::size_t half = cells.size() / 2; half > 0; half /= 2) {
    for (std::size_t t = 0; t < half; ++t) cells[t].merge(cells[t + half]);
  }
  return cells.front();
}

Distances emulated(const grid::Data& data, const BoundTerms& bound) {
  const unsigned blocks = grid::blocks_for(data.n);
  const std::size_t threads = std::size_t{blocks} * grid::kThreads;
  std::vector<Cell> parts;
  for (unsigned block = 0; block < blocks; ++block) {
    std::vector<Cell> cells;
    for (unsigned t = 0; t < grid::kThreads; ++t) {
      cells.push_back(grid::cell_of_thread(data, data.format, traits(data.format), bound,
                                           std::size_t{block} * grid::kThreads + t, threads));
    }
    parts.push_back(merged(std::move(cells)));
  }
  std::vector<Cell> last(grid::kThreads);
  for (unsigned i = 0; i < blocks; ++i) last[i % grid::kThreads].merge(parts[i]);
  return merged(std::move(last)).distances(data.n);
}

constexpr BoundTerms kBound{.relative = 1e-6, .conditional = 1e-7, .absolute = 1e-40};

void check(const Sample& sample, Expected expected, const double* spread, BoundTerms bound,
           std::size_t n) {
  const Distances host = compare(sample.format, sample.y(), expected, spread, bound, n);
  expect_same_distances(host, emulated({sample.format, sample.y(), expected, spread, n}, bound));
}

TEST(CompareGrid, GivesTheFiguresOfTheHostInEveryFormat) {
  for (const Format format : kAllFormats) {
    for (const std::size_t n : {1, 2, 127, 128, 1025, 20'000}) {
      for (const unsigned rare : {0U, 50U, 3U}) {
        SCOPED_TRACE(std::string(traits(format).name) + " n " + std::to_string(n) + " rare " +
                     std::to_string(rare));
        const Sample s = sample_of(format, n, rare, static_cast<unsigned>(n) + rare);
        check(s, {.hi = s.hi.data()}, nullptr, kBound, n);
        check(s, {.hi = s.hi.data(), .lo = s.lo.data()}, s.spread.data(), kBound, n);
        check(s, {.narrow = s.narrow.data()}, s.spread.data(), kBound, n);
        check(s, {.hi = s.hi.data()}, s.spread.data(), {}, n);  // B = 0
      }
    }
  }
}

TEST(CompareGrid, NothingComparedIsNothingFound) {
  check(sample_of(Format::f32, 0, 0, 1), {.hi = nullptr, .narrow = nullptr}, nullptr, kBound, 0);
}

TEST(CompareGrid, OfEqualsTheFirstIsTheWorst) {
  Sample s{.format = Format::f64, .storage = std::vector<std::uint64_t>(5000, 0x3ff0000000000000)};
  s.hi.assign(5000, 1.0);
  for (const std::size_t place : {4321, 1234, 2345}) s.hi[place] = 1.5;
  check(s, {.hi = s.hi.data()}, nullptr, kBound, 5000);
  const Distances d = emulated({Format::f64, s.y(), {.hi = s.hi.data()}, nullptr, 5000}, kBound);
  EXPECT_EQ(d.worst, 1234U);
}

TEST(CompareGrid, SquaresNeitherOverflowNorVanish) {
  for (const double size : {1e300, 1e-300, 1.0}) {
    Sample s{.format = Format::f64, .storage = std::vector<std::uint64_t>(3000)};
    s.hi.assign(3000, size);
    for (std::size_t i = 0; i < 3000; ++i) {
      const double y = (i % 2 == 0 ? 1 : -1) * size * (1 + 1e-9);
      std::memcpy(&s.storage[i], &y, sizeof y);
    }
    SCOPED_TRACE(size);
    check(s, {.hi = s.hi.data()}, nullptr, {.relative = 1e-3}, 3000);
  }
  Sample opposite{.format = Format::f64, .storage = std::vector<std::uint64_t>(1), .hi = {1.7e308}};
  const double y = -1.7e308;
  std::memcpy(opposite.storage.data(), &y, sizeof y);
  check(opposite, {.hi = opposite.hi.data()}, nullptr, kBound, 1);
}

TEST(CompareGrid, ACellThatLosesAnElementIsSeen) {  // the comparison above can fail
  const Sample s = sample_of(Format::f32, 2000, 0, 7);
  const grid::Data all{Format::f32, s.y(), {.hi = s.hi.data()}, nullptr, 2000};
  grid::Data fewer = all;
  --fewer.n;
  EXPECT_NE(emulated(all, kBound).sum_sq_expected, emulated(fewer, kBound).sum_sq_expected);
}

}  // namespace
}  // namespace plumb
