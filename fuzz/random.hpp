#pragma once

#include <cstdint>

namespace plumb {

/// SplitMix64 (Steele, Lea and Flood 2014): any seed will do, and a draw costs a nanosecond.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  /// In [0, n); 0 where n is 0. The bias of the remainder does not matter here.
  std::uint64_t below(std::uint64_t n) { return n == 0 ? 0 : next() % n; }

  std::uint8_t byte() { return static_cast<std::uint8_t>(next() >> 56); }

  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace plumb
