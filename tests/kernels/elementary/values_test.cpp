// What the C standard (annex F) says of special arguments; exact results; and the bits of all
// functions, which are the same on every system.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "tests/kernels/elementary/functions.h"

namespace elementary_tests {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The same number with the same sign; any NaN is like another.
void expect_same(double got, double expected, const std::string& what) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << what << " is " << got;
  } else {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected))
        << what << " is " << got << ", expected " << expected;
  }
}

struct Special {
  std::string_view name;
  double argument, result;
};

constexpr Special kSpecials[] = {
    {"asin", 0, 0},
    {"asin", -0.0, -0.0},
    {"asin", 1.5, kNan},
    {"asin", -kInf, kNan},
    {"asin", 1, 0x1.921fb54442d18p+0},
    {"asin", -1, -0x1.921fb54442d18p+0},
    {"cos", 0, 1},
    {"cos", -0.0, 1},
    {"cos", kInf, kNan},
    {"cos", 0x1p-1074, 1},
    {"sin", 0, 0},
    {"sin", -0.0, -0.0},
    {"sin", -kInf, kNan},
    {"sin", -0x1p-1074, -0x1p-1074},
    {"erfc", 0, 1},
    {"erfc", kInf, 0},
    {"erfc", -kInf, 2},
    {"erfc", -30, 2},
    {"erfc", 28, 0},
    {"exp", 0, 1},
    {"exp", -0.0, 1},
    {"exp", kInf, kInf},
    {"exp", -kInf, 0},
    {"exp", 710, kInf},
    {"exp", -746, 0},
    {"exp", 0x1.62e42fefa39fp+9, kInf},
    {"exp", 1e300, kInf},
    {"exp", -1e300, 0},
    {"exp2", 0, 1},
    {"exp2", kInf, kInf},
    {"exp2", -kInf, 0},
    {"exp2", 1024, kInf},
    {"exp2", 10, 1024},
    {"exp2", -1074, 0x1p-1074},
    {"exp2", -1076, 0},
    {"exp2", 1023, 0x1p1023},
    {"exp2", -1022, 0x1p-1022},
    {"expm1", 0, 0},
    {"expm1", -0.0, -0.0},
    {"expm1", kInf, kInf},
    {"expm1", -kInf, -1},
    {"expm1", -50, -1},
    {"expm1", 710, kInf},
    {"expm1", 0x1p-1074, 0x1p-1074},
    {"log", 0, -kInf},
    {"log", -0.0, -kInf},
    {"log", 1, 0},
    {"log", -1, kNan},
    {"log", kInf, kInf},
    {"log", -kInf, kNan},
    {"log10", 0, -kInf},
    {"log10", -0.0, -kInf},
    {"log10", 1, 0},
    {"log10", -1, kNan},
    {"log10", kInf, kInf},
    {"log2", 0, -kInf},
    {"log2", -0.0, -kInf},
    {"log2", 1, 0},
    {"log2", -1, kNan},
    {"log2", kInf, kInf},
    {"log1p", 0, 0},
    {"log1p", -0.0, -0.0},
    {"log1p", -1, -kInf},
    {"log1p", -2, kNan},
    {"log1p", kInf, kInf},
    {"log1p", 0x1p-1074, 0x1p-1074},
    {"tanh", 0, 0},
    {"tanh", -0.0, -0.0},
    {"tanh", kInf, 1},
    {"tanh", -kInf, -1},
    {"tanh", 30, 1},
    {"tanh", -0x1p-1074, -0x1p-1074},
};

TEST(ElementaryValues, OfSpecialArguments) {
  for (const Function& f : kFunctions) {
    expect_same(f.function(kNan), kNan, std::string(f.name) + "(nan)");
    int tried = 0;
    for (const Special& special : kSpecials) {
      if (special.name != f.name) continue;
      ++tried;
      expect_same(f.function(special.argument), special.result,
                  std::string(f.name) + "(" + std::to_string(special.argument) + ")");
    }
    EXPECT_GT(tried, 2) << f.name;
  }
}

// In single precision the special arguments are those of the same function.
TEST(ElementaryValues, OfSpecialFloats) {
  for (const SingleFunction& f : kSingleFunctions) {
    EXPECT_TRUE(std::isnan(f.function(std::numeric_limits<float>::quiet_NaN()))) << f.name;
    for (const Special& special : kSpecials) {
      if (std::string(special.name) + "f" != f.name) continue;
      const auto argument = static_cast<float>(special.argument);
      if (std::abs(special.argument) > 0 && std::abs(special.argument) < 0x1p-149) continue;
      expect_same(f.function(argument), static_cast<float>(special.result),
                  std::string(f.name) + "(" + std::to_string(special.argument) + ")");
    }
  }
}

struct SpecialPower {
  double base, exponent, result;
};

constexpr SpecialPower kPowers[] = {{kNan, 0, 1},
                                    {1, kNan, 1},
                                    {kNan, 1, kNan},
                                    {2, kNan, kNan},
                                    {0, kNan, kNan},
                                    {0, 2, 0},
                                    {-0.0, 3, -0.0},
                                    {-0.0, 2, 0},
                                    {0, -1, kInf},
                                    {-0.0, -3, -kInf},
                                    {-0.0, -2, kInf},
                                    {0, kInf, 0},
                                    {0, -kInf, kInf},
                                    {-1, kInf, 1},
                                    {-1, -kInf, 1},
                                    {2, kInf, kInf},
                                    {0.5, kInf, 0},
                                    {2, -kInf, 0},
                                    {-0.5, -kInf, kInf},
                                    {kInf, 2, kInf},
                                    {kInf, -2, 0},
                                    {-kInf, 3, -kInf},
                                    {-kInf, 2, kInf},
                                    {-kInf, -3, -0.0},
                                    {-kInf, -2, 0},
                                    {-kInf, 0.5, kInf},
                                    {kInf, kInf, kInf},
                                    {-8, 3, -512},
                                    {-2, -1, -0.5},
                                    {-2, 0.5, kNan},
                                    {-3, 2, 9},
                                    {2, 10, 1024},
                                    {2, -1074, 0x1p-1074},
                                    {2, 1024, kInf},
                                    {2, -1080, 0},
                                    {-2, 1025, -kInf},
                                    {-2, -1081, -0.0},
                                    {10, 15, 1e15},
                                    {1, 1e300, 1},
                                    {-1, 3, -1},
                                    {-1, 4, 1},
                                    {-1, 1e300, 1},
                                    {-1, 0.5, kNan},
                                    {1.5, 0x1p70, kInf},
                                    {0.5, 0x1p70, 0},
                                    {1.5, -0x1p70, 0},
                                    {5, 0x1p-100, 1},
                                    {5, 1, 5},
                                    {0x1p-1074, 1, 0x1p-1074},
                                    {0x1p-1074, -1, kInf},
                                    {0x1p-1074, 0.5, 0x1p-537},
                                    {9, 0.5, 3}};

TEST(ElementaryValues, OfPowers) {
  for (const auto& [base, exponent, result] : kPowers) {
    const std::string what = "pow(" + std::to_string(base) + ", " + std::to_string(exponent) + ")";
    expect_same(pow(base, exponent), result, what);
    const auto x = static_cast<float>(base), y = static_cast<float>(exponent);
    if (static_cast<double>(x) == base && static_cast<double>(y) == exponent)
      expect_same(powf(x, y), static_cast<float>(result), "powf, like " + what);
  }
}

TEST(ElementaryValues, OfHypotenuses) {
  expect_same(hypot(3, -4), 5, "hypot(3, -4)");
  expect_same(hypot(kInf, kNan), kInf, "hypot(inf, nan)");
  expect_same(hypot(kNan, -kInf), kInf, "hypot(nan, -inf)");
  expect_same(hypot(kNan, 1), kNan, "hypot(nan, 1)");
  expect_same(hypot(0, -0.0), 0, "hypot(0, -0)");
  expect_same(hypot(0x1p-1074, 0), 0x1p-1074, "hypot(least, 0)");
  expect_same(hypot(3 * 0x1p-1074, 4 * 0x1p-1074), 5 * 0x1p-1074, "hypot of subnormal numbers");
  expect_same(hypot(3 * 0x1p1020, 4 * 0x1p1020), 5 * 0x1p1020, "hypot of large numbers");
  expect_same(hypot(0x1.8p1023, 0x1.8p1023), kInf, "hypot beyond the largest number");
}

TEST(ElementaryValues, OfPowersOfTheBaseAreExact) {
  for (int n = -1074; n < 1024; ++n) {
    expect_same(exp2(n), std::ldexp(1.0, n), "exp2");
    expect_same(log2(std::ldexp(1.0, n)), n, "log2");
  }
  double power = 1;
  for (int n = 0; n <= 22; ++n, power *= 10) {
    expect_same(log10(power), n, "log10");
    expect_same(pow(10, n), power, "pow");
  }
}

// A hash of all results for arguments that are the same everywhere. If it changes, kName needs the
// next number, because results change, and tests/golden may need new values.
TEST(ElementaryValues, AreTheSameBitsEverywhere) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
  Draws draws;
  constexpr int kPoints = 2000;
  for (const Function& f : kFunctions)
    for (const Range& range : f.ranges)
      for (int i = 0; i < kPoints; ++i)
        add(std::bit_cast<std::uint64_t>(f.function(draws.from(range))));
  for (const SingleFunction& f : kSingleFunctions)
    for (const Range& range : f.ranges)
      for (int i = 0; i < kPoints; ++i)
        add(std::bit_cast<std::uint32_t>(f.function(static_cast<float>(draws.from(range)))));
  for (const BinaryFunction& f : kBinaryFunctions)
    for (const auto& [xs, ys] : f.ranges)
      for (int i = 0; i < kPoints; ++i) {
        const double x = draws.from(xs), y = draws.from(ys);
        add(std::bit_cast<std::uint64_t>(f.function(x, y)));
      }
  for (int i = 0; i < kPoints; ++i) {
    const auto x = static_cast<float>(draws.from({0, 100})),
               y = static_cast<float>(draws.from({-5, 5}));
    add(std::bit_cast<std::uint32_t>(powf(x, y)));
  }
  EXPECT_EQ(hash, 0xaa2506eaa2df7b83U) << std::hex << hash;
}

}  // namespace
}  // namespace elementary_tests
