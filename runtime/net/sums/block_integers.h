// The arithmetic of `sum: exact`: sums that do not depend on the order of additions.
//
// Blocks of 256 neighbors share one exponent e, the smallest with |x| < 2^e for every x of every
// shard. With n shards and f = (2^31 - 1) / (n 2^e), a shard's x becomes the integer nearest to
// x f. Integers are added, and the sum is divided by f (Sapio et al., "Scaling distributed machine
// learning with in-network aggregation", NSDI 2021, section 5.5). The unrounded sum is at most
// 2^31 - 129 and rounding adds n / 2 at most, so up to 256 shards never overflow.
//
// SwitchML's f is a float and overflows for blocks of zeros; here it is a double, which holds every
// f. An exponent is kept as the exponent field of the largest float, from 0 to 255: e is the field
// less 126, a field of 0 stands for zeros and denormals, 255 for a NaN or an infinity.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rt::net::sums {

constexpr std::size_t kBlock = 256;
constexpr int kMostExactShards = 256;

[[nodiscard]] constexpr std::size_t blocks_in(std::size_t count) noexcept {
  return (count + kBlock - 1) / kBlock;
}

/// Raises each block's exponent field to that of the largest number in `values`.
void raise_exponents(std::span<const float> values, std::span<std::int32_t> exponents) noexcept;

/// Returns the first block in which some shard has a NaN or an infinity.
[[nodiscard]] std::optional<std::size_t> find_not_finite(
    std::span<const std::int32_t> exponents) noexcept;

/// Adds the integers of a shard to `sums`. All exponents are finite, and hold for the shard.
void add_integers(std::span<const float> values, std::span<const std::int32_t> exponents,
                  int shards, std::span<std::int32_t> sums) noexcept;

/// Writes the sums as floats.
void restore(std::span<const std::int32_t> sums, std::span<const std::int32_t> exponents,
             int shards, std::span<float> values) noexcept;

/// Returns how far a restored sum may be from the sum of the shards' floats, rounding of the
/// result to a float left out: n / (2 f).
[[nodiscard]] double error_bound(std::int32_t exponent, int shards) noexcept;

}  // namespace rt::net::sums
