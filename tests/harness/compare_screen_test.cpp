#include "harness/compare_screen.hpp"

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/compare_reference.hpp"

namespace plumb {
namespace {

using reference::kInf;
using reference::kNan;

constexpr std::array kFormats{Format::f16, Format::bf16,   Format::f32,
                              Format::f64, Format::e4m3fn, Format::e5m2};
constexpr std::array<std::size_t, 10> kSizes{0, 1, 7, 8, 9, 1023, 1024, 1025, 2048, 2500};

// Data of one comparison, drawn from a seed.
struct Draw {
  Format format{};
  std::vector<unsigned char> y;
  std::vector<double> hi, lo, sensitivity;
  std::vector<float> narrow;
  BoundTerms bound;
  std::size_t n = 0;

  Expected expected() const {
    if (!narrow.empty()) return {.narrow = narrow.data()};
    return {.hi = hi.data(), .lo = lo.empty() ? nullptr : lo.data()};
  }
  const double* spread() const { return sensitivity.empty() ? nullptr : sensitivity.data(); }
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Draw draw() {
    Draw d;
    d.format = pick(kFormats);
    d.n = pick(kSizes);
    const double u = traits(d.format).unit_roundoff;
    d.bound = {pick(std::array{0.0, u, 1.02 * u, 8 * u, 0.5}), pick(std::array{0.0, u, 8 * u}),
               pick(std::array{0.0, traits(d.format).min_subnormal / 2, 1e-3})};
    specials_ = pick(std::array{0.0, 0.0, 0.0005, 0.2});
    exponent_ = pick(std::array{0, 0, min_exponent(d.format), max_exponent(d.format) - 1});
    spread_exponent_ = pick(std::array{0, 3, 30});
    wrongness_ = pick(std::array{0.0, 0.5, 2.0, 40.0});
    const bool low = chance(0.3);
    const bool narrow = !low && chance(0.3);
    const bool sensitive = chance(0.5);
    for (std::size_t i = 0; i < d.n; ++i) add_element(d, low, narrow, sensitive);
    if (d.n == 0) d.hi.resize(1);
    return d;
  }

 private:
  static int min_exponent(Format format) { return std::ilogb(traits(format).min_normal); }
  static int max_exponent(Format format) { return std::ilogb(traits(format).max_finite); }

  void add_element(Draw& d, bool low, bool narrow, bool sensitive) {
    double g = value();
    if (chance(specials_)) g = special(d.format);
    if (chance(0.05)) g = tie(d.format, g);
    if (narrow) g = static_cast<float>(g);
    double lo = 0;
    if (low && std::isfinite(g)) lo = chance(0.5) ? std::ldexp(g, -54) * uniform() : 0;
    if (low && std::isinf(g)) lo = kNan;
    append(d, pattern_near(d.format, g));
    (narrow ? d.narrow.push_back(static_cast<float>(g)) : d.hi.push_back(g));
    if (low) d.lo.push_back(lo);
    if (!sensitive) return;
    double s = std::fabs(value());
    if (chance(specials_)) s = pick(std::array{0.0, kNan, kInf});
    d.sensitivity.push_back(s);
  }

  // A value half-way between two neighbours of the format.
  double tie(Format format, double near) {
    if (!std::isfinite(near)) return near;
    const auto f = reference::layout(format);
    const auto pattern = reference::nearest_pattern(format, near, std::signbit(near));
    const auto position = pattern & (reference::sign_bit(f) - 1);
    if (format == Format::f64 || position >= f.out_of_range) return near;
    const auto half =
        (reference::magnitude_at(f, position) + reference::magnitude_at(f, position + 1)) / 2;
    return std::copysign(static_cast<double>(half), near);
  }

  std::uint64_t pattern_near(Format format, double g) {
    const auto f = reference::layout(format);
    if (chance(specials_)) return random_() & (reference::sign_bit(f) * 2 - 1);
    if (chance(0.01)) return 0;
    if (std::isnan(g)) return f.out_of_range + (f.infinite ? 1 : 0);
    const double off =
        std::isfinite(g) ? g * (1 + wrongness_ * uniform() * traits(format).unit_roundoff) : g;
    if (std::isfinite(off)) return reference::nearest_pattern(format, off, std::signbit(off));
    return f.out_of_range | (off < 0 ? reference::sign_bit(f) : 0);
  }

  void append(Draw& d, std::uint64_t pattern) {
    const auto bytes = traits(d.format).bytes;
    const auto at = d.y.size();
    d.y.resize(at + bytes);
    std::memcpy(&d.y[at], &pattern, bytes);
  }

  double special(Format format) {
    const double top = traits(format).max_finite;
    const double beyond = top * (1 + traits(format).unit_roundoff);
    return pick(std::array{kNan, kInf, -kInf, 0.0, -0.0, top, -top, beyond, -beyond, 2 * top,
                           traits(format).min_subnormal / 2, traits(format).min_normal, 1e300,
                           -1e-300});
  }

  double value() { return std::ldexp(uniform(), exponent_ + spread()); }
  int spread() {
    return static_cast<int>(random_() % (2 * spread_exponent_ + 1)) - spread_exponent_;
  }
  double uniform() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(random_) < p; }
  template <class T, std::size_t N>
  T pick(const std::array<T, N>& choices) {
    return choices[random_() % N];
  }

  std::mt19937_64 random_;
  double specials_ = 0;
  double wrongness_ = 0;
  int exponent_ = 0;
  int spread_exponent_ = 0;
};

void expect_close(long double got, long double wanted, const std::string& what) {
  if (got == wanted) return;
  EXPECT_LE(std::fabs(got - wanted), 1e-12L * std::fabs(wanted)) << what;
}

void expect_same(const Distances& got, const Distances& wanted) {
  EXPECT_EQ(got.count, wanted.count);
  EXPECT_EQ(got.exact, wanted.exact);
  EXPECT_EQ(got.max_abs, wanted.max_abs);
  EXPECT_EQ(got.max_rel, wanted.max_rel);
  EXPECT_EQ(got.max_ulp, wanted.max_ulp);
  EXPECT_EQ(got.nan, wanted.nan);
  EXPECT_EQ(got.inf, wanted.inf);
  EXPECT_EQ(got.first_nan, wanted.first_nan);
  EXPECT_EQ(got.first_inf, wanted.first_inf);
  EXPECT_EQ(got.wrong_nonfinite, wanted.wrong_nonfinite);
  EXPECT_EQ(got.first_wrong_nonfinite, wanted.first_wrong_nonfinite);
  EXPECT_EQ(got.masked, wanted.masked);
  EXPECT_EQ(got.first_masked, wanted.first_masked);
  EXPECT_EQ(got.overflowed, wanted.overflowed);
  EXPECT_EQ(got.first_overflowed, wanted.first_overflowed);
  EXPECT_EQ(got.r, wanted.r);
  EXPECT_EQ(got.rho, wanted.rho);
  EXPECT_EQ(got.worst, wanted.worst);
  EXPECT_EQ(got.flushed, wanted.flushed);
  EXPECT_EQ(got.first_flushed, wanted.first_flushed);
  EXPECT_EQ(got.unprobed, wanted.unprobed);
  expect_close(got.sum_sq_error, wanted.sum_sq_error, "sum_sq_error");
  expect_close(got.sum_sq_expected, wanted.sum_sq_expected, "sum_sq_expected");
  expect_close(got.sum_sq_bound, wanted.sum_sq_bound, "sum_sq_bound");
}

TEST(CompareScreen, EveryInstructionSetAgreesWithTheSlowReferenceOnRandomData) {
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    const Draw d = Generator(seed).draw();
    const Distances wanted =
        reference::compare(d.format, d.y.data(), d.expected(), d.spread(), d.bound, d.n);
    for (const screen::Kernels& kernels : screen::available()) {
      SCOPED_TRACE(std::string(kernels.name) + " seed " + std::to_string(seed) + " format " +
                   std::string(traits(d.format).name) + " n " + std::to_string(d.n));
      expect_same(screen::compare_with(kernels, d.format, d.y.data(), d.expected(), d.spread(),
                                       d.bound, d.n),
                  wanted);
      if (HasFailure()) return;
    }
  }
}

TEST(CompareScreen, EveryInstructionSetGivesTheSameBitsOfTheSums) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Draw d = Generator(seed).draw();
    const auto run = [&d](const screen::Kernels& kernels) {
      return screen::compare_with(kernels, d.format, d.y.data(), d.expected(), d.spread(), d.bound,
                                  d.n);
    };
    const Distances wanted = run(screen::available().front());
    for (const screen::Kernels& kernels : screen::available()) {
      const Distances got = run(kernels);
      EXPECT_EQ(got.sum_sq_error, wanted.sum_sq_error) << kernels.name << " seed " << seed;
      EXPECT_EQ(got.sum_sq_expected, wanted.sum_sq_expected) << kernels.name << " seed " << seed;
      EXPECT_EQ(got.sum_sq_bound, wanted.sum_sq_bound) << kernels.name << " seed " << seed;
    }
  }
}

TEST(CompareScreen, HalfPrecisionIsWidenedExactlyForAllPatterns) {
  std::vector<std::uint16_t> patterns(65536);
  for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<std::uint16_t>(i);
  std::vector<float> wide(patterns.size());
  for (const screen::Kernels& kernels : screen::available()) {
    for (const Format format : {Format::f16, Format::bf16}) {
      const auto widen = format == Format::f16 ? kernels.widen_f16 : kernels.widen_bf16;
      widen(patterns.data(), wide.data(), patterns.size());
      for (std::size_t i = 0; i < patterns.size(); ++i) {
        const double wanted = reference::value_of(format, i);
        if (std::isnan(wanted)) {
          EXPECT_TRUE(std::isnan(wide[i])) << i;
        } else {
          EXPECT_EQ(wide[i], wanted) << kernels.name << " " << i;
          EXPECT_EQ(std::signbit(wide[i]), std::signbit(wanted)) << i;
        }
      }
    }
  }
}

}  // namespace
}  // namespace plumb
