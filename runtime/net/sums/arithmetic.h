// What a sum does with elements of 4 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rt::net::sums {

enum class Arithmetic : std::uint8_t {
  floats,    ///< a + b of floats: the order of additions decides the bits
  integers,  ///< a + b of 32-bit integers, modulo 2^32
  largest,   ///< the larger of two 32-bit integers
};

/// to[i] = left[i] op right[i]. `to` may be `left` or `right`; else they do not overlap. Pointers
/// are aligned to an element.
void combine(Arithmetic op, std::size_t count, const std::byte* left, const std::byte* right,
             std::byte* to) noexcept;

}  // namespace rt::net::sums
