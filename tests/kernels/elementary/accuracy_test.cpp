// Every function beside MPFR, which rounds correctly. TRELLIS_POINTS arguments of each range.
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/kernels/elementary/functions.h"

namespace elementary_tests {
namespace {

constexpr int kPrecision = 128;

int points() {
  const char* const asked = std::getenv("TRELLIS_POINTS");
  return asked == nullptr ? 1000 : std::atoi(asked);
}

class Exact {
 public:
  explicit Exact(int precision = kPrecision) { mpfr_init2(value_, precision); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  ~Exact() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

struct Format {
  int digits, least_exponent;
};

constexpr Format kDouble{53, -1074}, kSingle{24, -149};

/// The distance of `got` from the value, in units of the last place of the value.
double error(double got, mpfr_ptr value, Format format) {
  if (mpfr_nan_p(value) != 0 || mpfr_inf_p(value) != 0 || std::isnan(got))
    return mpfr_nan_p(value) != 0 && std::isnan(got) ? 0 : HUGE_VAL;
  const long last =
      mpfr_zero_p(value) != 0 ? format.least_exponent : mpfr_get_exp(value) - format.digits;
  const long unit = std::max<long>(last, format.least_exponent);
  Exact difference;
  if (std::isinf(got)) {
    // As if the exponents went on: infinity is the next power of two.
    mpfr_set_si_2exp(difference, got > 0 ? 1 : -1, format.digits == 53 ? 1024 : 128, MPFR_RNDN);
    mpfr_sub(difference, difference, value, MPFR_RNDN);
  } else {
    mpfr_d_sub(difference, got, value, MPFR_RNDN);
  }
  mpfr_div_2si(difference, difference, unit, MPFR_RNDN);
  return std::abs(mpfr_get_d(difference, MPFR_RNDN));
}

using OfOne = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using OfTwo = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

OfOne exact(std::string_view name) {
  struct Named {
    std::string_view name;
    OfOne function;
  };
  static const Named kNamed[] = {
      {"asin", mpfr_asin},   {"cos", mpfr_cos},     {"erfc", mpfr_erfc},    {"exp", mpfr_exp},
      {"exp2", mpfr_exp2},   {"expm1", mpfr_expm1}, {"log", mpfr_log},      {"log10", mpfr_log10},
      {"log1p", mpfr_log1p}, {"log2", mpfr_log2},   {"sin", mpfr_sin},      {"tanh", mpfr_tanh},
      {"erfcf", mpfr_erfc},  {"expf", mpfr_exp},    {"log1pf", mpfr_log1p}, {"logf", mpfr_log},
      {"tanhf", mpfr_tanh}};
  const auto* const found = std::ranges::find(kNamed, name, &Named::name);
  return found == std::end(kNamed) ? nullptr : found->function;
}

struct Worst {
  double error = 0, at = 0, second = 0;

  void see(double now, double x, double y = 0) {
    if (now > error) *this = {now, x, y};
  }

  void expect_below(double limit, std::string_view name) const {
    EXPECT_LE(error, limit) << name << " is " << error << " ulp wrong at " << std::hexfloat << at
                            << ", " << second;
  }
};

TEST(ElementaryAccuracy, OfDoubles) {
  for (const Function& f : kFunctions) {
    const OfOne reference = exact(f.name);
    ASSERT_NE(reference, nullptr) << f.name;
    Draws draws;
    Exact argument(53), value;
    Worst worst;
    for (const Range& range : f.ranges) {
      for (int i = 0; i < points(); ++i) {
        const double x = draws.from(range);
        mpfr_set_d(argument, x, MPFR_RNDN);
        reference(value, argument, MPFR_RNDN);
        worst.see(error(f.function(x), value, kDouble), x);
      }
    }
    worst.expect_below(1, f.name);
    RecordProperty(std::string(f.name), std::to_string(worst.error));
  }
}

// The result of double precision, rounded once more.
TEST(ElementaryAccuracy, OfFloats) {
  for (const SingleFunction& f : kSingleFunctions) {
    const OfOne reference = exact(f.name);
    ASSERT_NE(reference, nullptr) << f.name;
    Draws draws;
    Exact argument(53), value;
    Worst worst;
    for (const Range& range : f.ranges) {
      for (int i = 0; i < points(); ++i) {
        const auto x = static_cast<float>(draws.from(range));
        mpfr_set_d(argument, x, MPFR_RNDN);
        reference(value, argument, MPFR_RNDN);
        worst.see(error(f.function(x), value, kSingle), x);
      }
    }
    worst.expect_below(0.54, f.name);
    RecordProperty(std::string(f.name), std::to_string(worst.error));
  }
}

TEST(ElementaryAccuracy, OfTwoDoubles) {
  for (const BinaryFunction& f : kBinaryFunctions) {
    const OfTwo reference = f.name == "pow" ? OfTwo(mpfr_pow) : OfTwo(mpfr_hypot);
    Draws draws;
    Exact first(53), second(53), value;
    Worst worst;
    for (const auto& [xs, ys] : f.ranges) {
      for (int i = 0; i < points(); ++i) {
        const double x = draws.from(xs), y = draws.from(ys);
        const double got = f.function(x, y);
        mpfr_set_d(first, x, MPFR_RNDN);
        mpfr_set_d(second, y, MPFR_RNDN);
        reference(value, first, second, MPFR_RNDN);
        if (mpfr_get_exp(value) > 1024) {
          EXPECT_TRUE(std::isinf(got)) << f.name << ' ' << x << ' ' << y;
          continue;
        }
        worst.see(error(got, value, kDouble), x, y);
      }
    }
    worst.expect_below(1, f.name);
    RecordProperty(std::string(f.name), std::to_string(worst.error));
  }
}

TEST(ElementaryAccuracy, OfPowersOfFloats) {
  Draws draws;
  Exact first(53), second(53), value;
  Worst worst;
  for (int i = 0; i < points(); ++i) {
    const auto x = static_cast<float>(draws.from({0x1p-149, 100, true}));
    const auto y = static_cast<float>(draws.from({-1, 1}));
    mpfr_set_d(first, x, MPFR_RNDN);
    mpfr_set_d(second, y, MPFR_RNDN);
    mpfr_pow(value, first, second, MPFR_RNDN);
    const float got = powf(x, y);
    if (mpfr_get_exp(value) > 128) {
      EXPECT_TRUE(std::isinf(got)) << x << ' ' << y;
      continue;
    }
    worst.see(error(got, value, kSingle), x, y);
  }
  worst.expect_below(0.54, "powf");
}

// The doubles for which the distance to a multiple of pi/2 is least, and the powers of two.
TEST(ElementaryAccuracy, OfAnglesNearMultiplesOfAQuarterTurn) {
  Exact argument(53), value;
  Worst sines, cosines;
  const auto see = [&](double x) {
    mpfr_set_d(argument, x, MPFR_RNDN);
    mpfr_sin(value, argument, MPFR_RNDN);
    sines.see(error(sin(x), value, kDouble), x);
    mpfr_cos(value, argument, MPFR_RNDN);
    cosines.see(error(cos(x), value, kDouble), x);
    double together[2];
    sincos(x, &together[0], &together[1]);
    EXPECT_EQ(together[0], sin(x));
    EXPECT_EQ(together[1], cos(x));
  };
  see(0x1.6ac5b262ca1ffp+849);
  see(-0x1.6ac5b262ca1ffp+849);
  for (int n = -1074; n < 1024; ++n) see(std::ldexp(1.0, n));
  for (int n = 1; n < 20000; ++n) {
    const double turn = n * 0x1.921fb54442d18p+0;
    see(turn);
    see(-std::nextafter(turn, 0));
  }
  sines.expect_below(1, "sin");
  cosines.expect_below(1, "cos");
}

}  // namespace
}  // namespace elementary_tests
