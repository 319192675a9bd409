#include "nn/data/number_array.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/enum_names.h"
#include "nn/data/data_error.h"

namespace nn {

namespace {

template <class T>
double read_as(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<double>(value);
}

/// IEEE 754 binary16.
double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double sign = bits >> 15 != 0 ? -1 : 1;
  if (exponent == 31)
    return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

std::uint16_t two_bytes(const std::byte* at) {
  std::uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}

}  // namespace

std::size_t size_of(NumberType type) {
  constexpr std::array<std::size_t, 12> kSizes{1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
  static_assert(kSizes.size() == base::enum_count<NumberType>());
  return kSizes[static_cast<std::size_t>(type)];
}

std::size_t bytes_of(const std::string& path, NumberType type,
                     std::span<const std::uint64_t> dims) {
  std::uint64_t bytes = size_of(type);
  for (const std::uint64_t dim : dims) {
    if (__builtin_mul_overflow(bytes, dim, &bytes) ||
        bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      throw DataError(path, "the file claims a shape that cannot be addressed");
  }
  return bytes;
}

std::uint64_t NumberArray::per_row() const {
  std::uint64_t count = 1;
  for (std::size_t d = 1; d < dims.size(); ++d) count *= dims[d];
  return count;
}

double NumberArray::value(std::size_t index) const {
  const std::byte* at = bytes.data() + index * size_of(type);
  switch (type) {
    case NumberType::u8:
      return read_as<std::uint8_t>(at);
    case NumberType::i8:
      return read_as<std::int8_t>(at);
    case NumberType::u16:
      return read_as<std::uint16_t>(at);
    case NumberType::i16:
      return read_as<std::int16_t>(at);
    case NumberType::u32:
      return read_as<std::uint32_t>(at);
    case NumberType::i32:
      return read_as<std::int32_t>(at);
    case NumberType::u64:
      return read_as<std::uint64_t>(at);
    case NumberType::i64:
      return read_as<std::int64_t>(at);
    case NumberType::f16:
      return from_half(two_bytes(at));
    case NumberType::bf16:
      return static_cast<double>(
          std::bit_cast<float>(static_cast<std::uint32_t>(two_bytes(at)) << 16U));
    case NumberType::f32:
      return read_as<float>(at);
    case NumberType::f64:
      break;
  }
  return read_as<double>(at);
}

}  // namespace nn
