// The canonical byte form of values: what is hashed into keys, kept in the store and sent between
// processes.
//
// One form on every machine: integers, floats and lengths are little-endian and of fixed width,
// padding never appears, equal values have equal bytes, and there is exactly one byte string for a
// value (maps and sets in ascending order).
//   integer, float, char, enum   its own width (bool: one byte, 0 or 1; float: the IEEE bits)
//   string, vector, set, map     64-bit count, then the elements
//   array, pair, tuple, struct   the elements; one zero byte when there is none
//   optional                     one byte 0 or 1, then the value
//   variant                      one byte (index), then the value
// A struct takes part by itself when it is a plain aggregate of at most 16 encodable members (no
// base class, no C array, default-constructible), or a class by listing what counts:
//   template <class A> void fields(A& a) { a(x, y, z); }     (one list for reading and writing)
// Cost: one allocation for `encode`, memcpy speed for vectors of numbers. Everything here is a pure
// function.
#pragma once

#include <bit>
#include <cstring>

#include "runtime/codec/kinds.h"

namespace rt::inline v0 {

/// Types with a canonical byte form. Use `require_encodable<T>()` in templates for a message that
/// names the cure.
template <class T>
concept Encodable = detail::encodable<T>();

/// Fails to compile, in words, when T has no canonical byte form.
template <class T>
constexpr void require_encodable() {
  detail::require_encodable<T>();
}

/// The canonical bytes of a value.
template <class T>
[[nodiscard]] base::Bytes encode(const T& value) {
  require_encodable<T>();
  Writer w;
  w.put(value);
  return std::move(w).bytes();
}

/// The value of canonical bytes. Throws base::Error (data) when they are not exactly the form of a
/// T: cut, too long, a count or index out of range. Never reads out of bounds and never allocates
/// more than a small multiple of the bytes given.
template <class T>
[[nodiscard]] T decode(std::span<const std::byte> bytes) {
  require_encodable<T>();
  T value{};
  Reader r(bytes);
  r.get(value);
  r.expect_end();
  return value;
}

}  // namespace rt::inline v0
