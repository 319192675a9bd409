// 128-bit content keys: what a value is called, by how it was made (XXH3-128 of its canonical
// bytes). Not a defence against an adversary; two different contents met by chance share a key with
// probability 2^-128.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace base {

/// The name of a value. The zero key means "no key": a value that no rule names.
struct Key {
  std::uint64_t hi = 0;
  std::uint64_t lo = 0;

  auto operator<=>(const Key&) const = default;
  explicit operator bool() const noexcept { return (hi | lo) != 0; }

  /// 32 lower-case hexadecimal digits, `hi` first.
  [[nodiscard]] std::string hex() const;
  /// The inverse of `hex`; nothing when the text is not exactly that.
  [[nodiscard]] static std::optional<Key> from_hex(std::string_view text);
};

/// Key of a block of bytes in one go: the same as feeding it to a fresh Hasher with `raw`.
[[nodiscard]] Key hash_bytes(std::span<const std::byte> bytes) noexcept;

/// A 64-bit hash (XXH3-64) of a text, for tables whose places are stored.
[[nodiscard]] std::uint64_t hash64(std::string_view text) noexcept;

/// Builds a key from parts. `add` is self-delimiting (a text carries its length), so ("ab","c") and
/// ("a","bc") differ; `raw` appends bytes as they are, for contents that come in pieces. Integers
/// count as 8 little-endian bytes. Not thread-safe; copyable, so that a common prefix is hashed
/// once.
class Hasher {
 public:
  Hasher() noexcept;

  Hasher& raw(std::span<const std::byte> bytes) noexcept;
  Hasher& add(std::span<const std::byte> bytes) noexcept;
  Hasher& add(std::string_view text) noexcept;
  Hasher& add(const char* text) noexcept { return add(std::string_view(text)); }
  Hasher& add(std::uint64_t x) noexcept;
  Hasher& add(std::int64_t x) noexcept { return add(static_cast<std::uint64_t>(x)); }
  Hasher& add(int x) noexcept {
    return add(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)));
  }
  Hasher& add(unsigned x) noexcept { return add(static_cast<std::uint64_t>(x)); }
  Hasher& add(double x) noexcept;
  Hasher& add(Key key) noexcept;

  /// The key of everything added so far; more may be added afterwards.
  [[nodiscard]] Key finish() const noexcept;

 private:
  alignas(64) std::byte state_[576];
};

}  // namespace base

/// A key is a hash already; its low half serves for tables.
template <>
struct std::hash<base::Key> {
  std::size_t operator()(const base::Key& key) const noexcept {
    return static_cast<std::size_t>(key.lo);
  }
};
