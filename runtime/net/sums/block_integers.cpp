#include "runtime/net/sums/block_integers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace rt::net::sums {

namespace {

constexpr std::int32_t kNotFinite = 255;
constexpr int kBias = 126;

double factor_of(std::int32_t exponent, int shards) noexcept {
  return std::ldexp(2147483647.0 / shards, kBias - exponent);
}

/// Rounds to the nearest integer, halves to even: at this size a double has no fraction left. The
/// compiler makes vectors of it, which it does not of std::nearbyint().
double nearest(double x) noexcept {
  constexpr double kNoFraction = 6755399441055744.0;  // 1.5 * 2^52
  return x + kNoFraction - kNoFraction;
}

/// Calls f(block, first, count) for each block of `count` elements.
template <class F>
void over_blocks(std::size_t count, F f) {
  for (std::size_t block = 0; block * kBlock < count; ++block)
    f(block, block * kBlock, std::min(kBlock, count - block * kBlock));
}

}  // namespace

void raise_exponents(std::span<const float> values, std::span<std::int32_t> exponents) noexcept {
  over_blocks(values.size(), [&](std::size_t block, std::size_t first, std::size_t count) {
    // Floats of one sign are in the order of their bits.
    std::array<std::int32_t, kBlock> bits{};
    std::memcpy(bits.data(), &values[first], count * sizeof(float));
    std::array<std::int32_t, 8> most{};
    for (std::size_t i = 0; i < kBlock; i += most.size())
      for (std::size_t lane = 0; lane < most.size(); ++lane) {
        const std::int32_t magnitude = bits[i + lane] & 0x7fffffff;
        most[lane] = most[lane] < magnitude ? magnitude : most[lane];
      }
    const std::int32_t largest = *std::max_element(most.begin(), most.end()) >> 23;
    exponents[block] = std::max(exponents[block], largest);
  });
}

std::optional<std::size_t> find_not_finite(std::span<const std::int32_t> exponents) noexcept {
  const auto at = std::find(exponents.begin(), exponents.end(), kNotFinite);
  if (at == exponents.end()) return std::nullopt;
  return static_cast<std::size_t>(at - exponents.begin());
}

void add_integers(std::span<const float> values, std::span<const std::int32_t> exponents,
                  int shards, std::span<std::int32_t> sums) noexcept {
  over_blocks(values.size(), [&](std::size_t block, std::size_t first, std::size_t count) {
    const double factor = factor_of(exponents[block], shards);
    std::array<float, kBlock> x{};
    std::array<std::int32_t, kBlock> sum{};
    std::memcpy(x.data(), &values[first], count * sizeof(float));
    std::memcpy(sum.data(), &sums[first], count * sizeof(std::int32_t));
    for (std::size_t i = 0; i < kBlock; ++i)
      sum[i] += static_cast<std::int32_t>(nearest(static_cast<double>(x[i]) * factor));
    std::memcpy(&sums[first], sum.data(), count * sizeof(std::int32_t));
  });
}

void restore(std::span<const std::int32_t> sums, std::span<const std::int32_t> exponents,
             int shards, std::span<float> values) noexcept {
  over_blocks(values.size(), [&](std::size_t block, std::size_t first, std::size_t count) {
    const double factor = factor_of(exponents[block], shards);
    for (std::size_t i = first; i < first + count; ++i)
      values[i] = static_cast<float>(static_cast<double>(sums[i]) / factor);
  });
}

double error_bound(std::int32_t exponent, int shards) noexcept {
  return shards / (2 * factor_of(exponent, shards));
}

}  // namespace rt::net::sums
