#pragma once
// An array of numbers as it lies in a file: rows first, little-endian, of one of the usual types.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nn {

enum class NumberType : std::uint8_t { u8, i8, u16, i16, u32, i32, u64, i64, f16, bf16, f32, f64 };

struct NumberArray {
  std::string path;  ///< and what it is called there, for messages
  NumberType type = NumberType::f32;
  std::vector<std::uint64_t> dims;
  std::vector<std::byte> bytes;

  [[nodiscard]] std::uint64_t rows() const { return dims.empty() ? 0 : dims.front(); }
  /// Numbers in one row.
  [[nodiscard]] std::uint64_t per_row() const;
  /// Number `at` of all.
  [[nodiscard]] double value(std::size_t at) const;
};

/// Bytes of one number.
[[nodiscard]] std::size_t size_of(NumberType type);

/// The product of the dimensions and of the size of one number. Throws DataError(path) when that
/// cannot be addressed.
[[nodiscard]] std::size_t bytes_of(const std::string& path, NumberType type,
                                   std::span<const std::uint64_t> dims);

}  // namespace nn
