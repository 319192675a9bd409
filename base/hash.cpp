#include "base/hash.h"

// Inlined, so that the layout of the hashing state is this build's own and no library of another
// version is met at run time.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <new>

namespace base {
namespace {

std::uint64_t little(std::uint64_t x) {
  return std::endian::native == std::endian::little ? x : __builtin_bswap64(x);
}

Key to_key(XXH128_hash_t h) { return {h.high64, h.low64}; }

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string Key::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 16; ++i) {
    text[static_cast<std::size_t>(i)] = kDigits[(hi >> (60 - 4 * i)) & 15];
    text[static_cast<std::size_t>(16 + i)] = kDigits[(lo >> (60 - 4 * i)) & 15];
  }
  return text;
}

std::optional<Key> Key::from_hex(std::string_view text) {
  if (text.size() != 32) return std::nullopt;
  Key key;
  for (std::size_t i = 0; i < 32; ++i) {
    const int d = digit(text[i]);
    if (d < 0) return std::nullopt;
    std::uint64_t& half = i < 16 ? key.hi : key.lo;
    half = half << 4 | static_cast<std::uint64_t>(d);
  }
  return key;
}

Key hash_bytes(std::span<const std::byte> bytes) noexcept {
  return to_key(XXH3_128bits(bytes.data(), bytes.size()));
}

std::uint64_t hash64(std::string_view text) noexcept {
  return XXH3_64bits(text.data(), text.size());
}

// The state lives inside the object: hashing is on the path of every task and must not allocate.
static XXH3_state_t* state_of(std::byte* at) {
  return std::launder(reinterpret_cast<XXH3_state_t*>(at));
}

Hasher::Hasher() noexcept {
  static_assert(sizeof(XXH3_state_t) <= sizeof state_ && alignof(XXH3_state_t) <= 64);
  auto* state = new (state_) XXH3_state_t;
  XXH3_INITSTATE(state);
  XXH3_128bits_reset(state);
}

Hasher& Hasher::raw(std::span<const std::byte> bytes) noexcept {
  XXH3_128bits_update(state_of(state_), bytes.data(), bytes.size());
  return *this;
}

Hasher& Hasher::add(std::span<const std::byte> bytes) noexcept {
  return add(static_cast<std::uint64_t>(bytes.size())).raw(bytes);
}

Hasher& Hasher::add(std::string_view text) noexcept {
  return add(std::as_bytes(std::span(text.data(), text.size())));
}

Hasher& Hasher::add(std::uint64_t x) noexcept {
  const std::uint64_t bytes = little(x);
  return raw(std::as_bytes(std::span(&bytes, 1)));
}

Hasher& Hasher::add(double x) noexcept { return add(std::bit_cast<std::uint64_t>(x)); }

Hasher& Hasher::add(Key key) noexcept { return add(key.hi).add(key.lo); }

Key Hasher::finish() const noexcept {
  return to_key(XXH3_128bits_digest(std::launder(reinterpret_cast<const XXH3_state_t*>(state_))));
}

}  // namespace base
