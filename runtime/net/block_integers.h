// Sums of floats that have the same bits in any order and any grouping: blocks of floats share the
// largest exponent of all terms, become 32-bit integers, and are added as integers.
//
// Source: A. Sapio et al., "Scaling Distributed Machine Learning with In-Network Aggregation"
// (SwitchML), NSDI 2021: a block's factor follows from its largest exponent and the number of
// terms.
//
// A sum has these steps. Each term's block_exponents() are raised to those of all terms
// (raise_exponents). Each term becomes integers (to_integers). The integers are added
// (add_integers). The sum becomes floats again (to_floats). Raising and adding are associative and
// commutative, so the order in which terms meet never shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace rt::net {

/// Floats of one block. The last block of a sequence may have fewer.
inline constexpr std::size_t kBlockFloats = 256;

/// The largest exponent field (IEEE 754, with its bias of 127) of a block's floats. Every float of
/// the block is below 2^(exponent - 126) in size, denormals and zeros included.
using BlockExponent = std::uint8_t;

/// The exponent of a block with a NaN or an infinity. It is above all others, so the largest
/// exponent of all terms has the mark of a single one.
inline constexpr BlockExponent kNotFinite = 255;

/// Most terms of a sum. With n terms, log2(n) of the 31 bits are left for the sum.
inline constexpr std::size_t kMostTerms = std::size_t{1} << 16;

/// Returns the number of blocks of that many floats.
[[nodiscard]] constexpr std::size_t block_count(std::size_t floats) noexcept {
  return (floats + kBlockFloats - 1) / kBlockFloats;
}

/// Returns the exponent of one block. An empty block has exponent 0.
[[nodiscard]] BlockExponent block_exponent(std::span<const float> block) noexcept;

/// Writes the exponents of consecutive blocks. `exponents` has block_count(values.size()) elements.
void block_exponents(std::span<const float> values, std::span<BlockExponent> exponents) noexcept;

/// Raises each exponent to the other one where that is larger. Both have equal sizes.
void raise_exponents(std::span<BlockExponent> exponents,
                     std::span<const BlockExponent> others) noexcept;

/// Converts one of `terms` terms to integers: round(x f) with f = (2^31 - terms) / (terms 2^e) and
/// e = exponent - 126, to the nearest, ties to even. The sum of all terms cannot overflow, because
/// each integer is at most (2^31 - terms) / terms + 1/2. A block with kNotFinite becomes zeros.
/// `exponents` are those of all terms together; `terms` is from 1 to kMostTerms.
/// A thread that flushes denormals to zero converts them to 0.
void to_integers(std::span<const float> values, std::span<const BlockExponent> exponents,
                 std::size_t terms, std::span<std::int32_t> integers) noexcept;

/// Adds the other integers. Both have equal sizes.
void add_integers(std::span<std::int32_t> integers, std::span<const std::int32_t> others) noexcept;

/// Converts the sum of all terms back to floats: integer / f, rounded to the nearest. A sum beyond
/// the largest float becomes an infinity, as by adding floats. A block with kNotFinite becomes
/// NaNs. `exponents` and `terms` are those of to_integers().
void to_floats(std::span<const std::int32_t> integers, std::span<const BlockExponent> exponents,
               std::size_t terms, std::span<float> values) noexcept;

/// Returns the largest difference between the true sum of a block's floats and its integers / f:
/// each of n terms is rounded by at most 1/(2f), so n/(2f) = n^2 2^e / (2 (2^31 - n)), and a
/// millionth of that for products in double precision. Rounding to a float in to_floats() may add
/// half a unit in the last place of the result. `exponent` is not kNotFinite.
[[nodiscard]] double block_error_bound(BlockExponent exponent, std::size_t terms) noexcept;

}  // namespace rt::net
