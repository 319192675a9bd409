#pragma once
// Counter-based random numbers: Philox4x32-10 (Salmon et al., SC'11). Any number is a pure function
// of (key, counter), the same on every machine, so what is drawn for one thing never depends on how
// much was drawn for another.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace nn {

/// The key of a stream. Deriving is hashing: equal paths give equal keys, different ones
/// independent streams.
struct RandomKey {
  std::uint64_t value = 0;
  [[nodiscard]] RandomKey derive(std::string_view purpose) const;
  [[nodiscard]] RandomKey derive(std::uint64_t number) const;
};

/// Four 32-bit words for one counter.
[[nodiscard]] std::array<std::uint32_t, 4> random_block(
    RandomKey key, const std::array<std::uint32_t, 4>& counter);

/// The top 24 bits as a float in (-1, 1): an odd multiple of 2^-24, exact and symmetric around 0.
[[nodiscard]] float symmetric_unit(std::uint32_t bits);

/// The numbers 0..count-1 in the order in which epoch `epoch` visits the rows (Fisher-Yates).
/// `order` is resized, its memory reused.
void epoch_order(std::uint64_t shuffle, std::int64_t epoch, std::uint32_t count,
                 std::vector<std::uint32_t>& order);

}  // namespace nn
