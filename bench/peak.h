// Inner loops that show what a core can give: multiply-adds, reading, and a triad, in the widest
// vectors it has.
#pragma once

#include <span>
#include <string_view>

namespace bench {

/// Name of the instruction set that the loops below use here: "AVX-512", "AVX2", or "baseline".
[[nodiscard]] std::string_view vector_set();

/// Runs fused multiply-adds of single precision on registers only; returns the floating-point
/// operations done (about 5e7).
double multiply_add_burst();

/// Reads all of it; returns the bytes read. `sink` keeps the compiler honest.
double read_all(std::span<const float> data, float& sink);

/// a = b + s * c over three 64-byte aligned arrays of one size, a multiple of 64; returns the bytes
/// moved as STREAM counts them (3 x size).
double triad(std::span<float> a, std::span<const float> b, std::span<const float> c, float s);

}  // namespace bench
