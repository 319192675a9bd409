#include "runtime/net/block_integers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace rt::net {
namespace {

/// Adding this to a double below 2^51 in size leaves its nearest integer in the low bits.
constexpr double kRounder = 0x1.8p52;

// The factor has double precision: in single precision it would overflow for blocks of denormals.
double factor_of(BlockExponent exponent, std::size_t terms) noexcept {
  const auto n = static_cast<double>(terms);
  return std::ldexp((0x1p31 - n) / n, 126 - exponent);
}

// Multiplying by this instead of dividing by the factor is an error of 2^-52, far below a float's.
double unit_of(BlockExponent exponent, std::size_t terms) noexcept {
  const auto n = static_cast<double>(terms);
  return std::ldexp(n / (0x1p31 - n), exponent - 126);
}

/// Calls visit(first float, floats, block) for each block.
template <class Visit>
void each_block(std::size_t floats, const Visit& visit) noexcept {
  for (std::size_t first = 0, block = 0; first < floats; first += kBlockFloats, ++block) {
    visit(first, std::min(kBlockFloats, floats - first), block);
  }
}

}  // namespace

BlockExponent block_exponent(std::span<const float> block) noexcept {
  // Bits without the sign order floats by size, with infinities and NaNs above all others.
  std::uint32_t largest = 0;
  for (const float x : block) {
    largest = std::max(largest, std::bit_cast<std::uint32_t>(x) & 0x7fffffffU);
  }
  return static_cast<BlockExponent>(largest >> 23);
}

void block_exponents(std::span<const float> values, std::span<BlockExponent> exponents) noexcept {
  each_block(values.size(), [&](std::size_t first, std::size_t count, std::size_t block) {
    exponents[block] = block_exponent(values.subspan(first, count));
  });
}

void raise_exponents(std::span<BlockExponent> exponents,
                     std::span<const BlockExponent> others) noexcept {
  for (std::size_t i = 0; i < exponents.size(); ++i) {
    exponents[i] = std::max(exponents[i], others[i]);
  }
}

void to_integers(std::span<const float> values, std::span<const BlockExponent> exponents,
                 std::size_t terms, std::span<std::int32_t> integers) noexcept {
  each_block(values.size(), [&](std::size_t first, std::size_t count, std::size_t block) {
    const float* const from = values.data() + first;
    std::int32_t* const to = integers.data() + first;
    if (exponents[block] == kNotFinite) {
      std::fill_n(to, count, 0);
      return;
    }
    const double factor = factor_of(exponents[block], terms);
    for (std::size_t i = 0; i < count; ++i) {
      const double rounded = static_cast<double>(from[i]) * factor + kRounder;
      to[i] = static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(rounded));
    }
  });
}

void add_integers(std::span<std::int32_t> integers, std::span<const std::int32_t> others) noexcept {
  for (std::size_t i = 0; i < integers.size(); ++i) {
    // Unsigned, so that integers from a broken peer wrap around rather than being undefined.
    integers[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(integers[i]) +
                                            static_cast<std::uint32_t>(others[i]));
  }
}

void to_floats(std::span<const std::int32_t> integers, std::span<const BlockExponent> exponents,
               std::size_t terms, std::span<float> values) noexcept {
  each_block(integers.size(), [&](std::size_t first, std::size_t count, std::size_t block) {
    const std::int32_t* const from = integers.data() + first;
    float* const to = values.data() + first;
    if (exponents[block] == kNotFinite) {
      std::fill_n(to, count, std::numeric_limits<float>::quiet_NaN());
      return;
    }
    const double unit = unit_of(exponents[block], terms);
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i] * unit);
  });
}

double block_error_bound(BlockExponent exponent, std::size_t terms) noexcept {
  const auto n = static_cast<double>(terms);
  return n / 2 * unit_of(exponent, terms) * (1 + 0x1p-20);
}

}  // namespace rt::net
