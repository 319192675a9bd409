#pragma once
// The functions of kernels/elementary, for all tests of them.

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

#include "kernels/elementary/elementary.h"

namespace elementary_tests {

/// Values from which arguments are drawn: between two bounds, evenly, or evenly among the doubles
/// there are.
struct Range {
  double from, to;
  bool by_bits = false;
};

struct Function {
  std::string_view name;
  double (*function)(double);
  std::array<Range, 5> ranges;
};

struct SingleFunction {
  std::string_view name;
  float (*function)(float);
  std::array<Range, 3> ranges;
};

struct BinaryFunction {
  std::string_view name;
  double (*function)(double, double);
  std::array<std::array<Range, 2>, 6> ranges;
};

// The smallest subnormal numbers, and what is near the largest.
inline constexpr double kLeast = 0x1p-1074, kMost = 0x1.fffffp1023;

/// What a user meets, where the tables meet, where results vanish and overflow, and all magnitudes.
inline constexpr Function kFunctions[] = {
    {"asin", asin, {{{-1, 1}, {0.49, 0.51}, {0.99, 1}, {kLeast, 1, true}, {-0.01, 0}}}},
    {"cos", cos, {{{-7, 7}, {-1, 1}, {kLeast, 1e6, true}, {1e5, kMost, true}, {1.57, 1.5708}}}},
    {"erfc", erfc, {{{-6, 6}, {0.1, 0.2}, {kLeast, 28, true}, {20, 28}, {-0.2, 0}}}},
    {"exp", exp, {{{-745, 709.7}, {-1, 1}, {kLeast, 1, true}, {-746, -707}, {700, 709.7}}}},
    {"exp2", exp2, {{{-1075, 1024}, {-1, 1}, {kLeast, 1, true}, {-1075, -1020}, {1000, 1024}}}},
    {"expm1", expm1, {{{-45, 709.7}, {0.3, 0.8}, {kLeast, 1, true}, {-0.8, -0.3}, {30, 50}}}},
    {"log", log, {{{0.3, 3}, {0.98, 1.02}, {kLeast, kMost, true}, {0.999999, 1.000001}, {1, 1e6}}}},
    {"log10",
     log10,
     {{{0.3, 3}, {0.98, 1.02}, {kLeast, kMost, true}, {0.999999, 1.000001}, {1, 1e6}}}},
    {"log1p",
     log1p,
     {{{-1, 3}, {-0.02, 0.02}, {kLeast, kMost, true}, {-1e-9, 1e-9}, {-1, -0.999}}}},
    {"log2",
     log2,
     {{{0.3, 3}, {0.98, 1.02}, {kLeast, kMost, true}, {0.999999, 1.000001}, {1, 1e6}}}},
    {"sin", sin, {{{-7, 7}, {-1, 1}, {kLeast, 1e6, true}, {1e5, kMost, true}, {3.14, 3.1416}}}},
    {"tanh", tanh, {{{-20, 20}, {-1, 1}, {kLeast, 25, true}, {0.2, 0.4}, {18, 21}}}},
};

inline constexpr SingleFunction kSingleFunctions[] = {
    {"erfcf", erfcf, {{{-6, 12}, {0.1, 0.2}, {0x1p-149, 10, true}}}},
    {"expf", expf, {{{-104, 88.7}, {-1, 1}, {0x1p-149, 88, true}}}},
    {"log1pf", log1pf, {{{-1, 3}, {-0.02, 0.02}, {0x1p-149, 0x1.fffp127, true}}}},
    {"logf", logf, {{{0.3, 3}, {0.98, 1.02}, {0x1p-149, 0x1.fffp127, true}}}},
    {"tanhf", tanhf, {{{-10, 10}, {-0.3, 0.3}, {0x1p-149, 10, true}}}},
};

inline constexpr BinaryFunction kBinaryFunctions[] = {
    {"hypot",
     hypot,
     {{{{{-5, 5}, {-5, 5}}},
       {{{1e-300, 1e300, true}, {1e-300, 1e300, true}}},
       {{{1, 100, true}, {1, 100, true}}},
       {{{kLeast, 1e-300, true}, {kLeast, 1e-300, true}}},
       {{{1e300, 1e308, true}, {1e300, 1e308, true}}},
       {{{0.99, 1.01}, {1e-10, 1e-6}}}}}},
    {"pow",
     pow,
     {{{{{0.5, 2}, {-1000, 1000}}},
       {{{1e-300, 1e300, true}, {-1, 1}}},
       {{{0.99, 1.01}, {-70000, 70000}}},
       {{{1 - 1e-9, 1 + 1e-9}, {-1e11, 1e11}}},
       {{{0.9, 0.9999}, {1, 100000, true}}},
       {{{kLeast, 0x1p-1022, true}, {-1, 1}}}}}},
};

/// Numbers from 0 to 1, the same on every system.
class Draws {
 public:
  double next() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

  /// One of a range. Both bounds of a range by bits have the same sign.
  double from(const Range& range) {
    const double share = next();
    if (!range.by_bits) return range.from + share * (range.to - range.from);
    const auto from = std::bit_cast<std::uint64_t>(range.from);
    const auto to = std::bit_cast<std::uint64_t>(range.to);
    return std::bit_cast<double>(
        from + static_cast<std::uint64_t>(share * static_cast<double>(to - from)));
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace elementary_tests
