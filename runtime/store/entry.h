// One entry of the store as it lies on disk, in a file of its own or among others: a head of 64
// bytes, then the payload.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/hash.h"

namespace rt::store {

inline constexpr std::size_t kHeadBytes = 64;

/// What the head says. On disk: magic and version (8 bytes), key, payload length, cost, checksum of
/// the payload, checksum of the head itself; all little-endian.
struct Head {
  base::Key key;
  std::uint64_t length = 0;
  double cost = 0;
  base::Key checksum;
};

/// An entry found on disk.
struct Found {
  std::shared_ptr<const base::Bytes> bytes;
  double cost = 0;
};

/// How dear an entry is per byte, in steps of a factor of two: costs are measured, and entries
/// whose costs differ by chance alone should go by their use.
[[nodiscard]] int worth_of(double cost, std::uint64_t bytes) noexcept;

/// The head's bytes, its own checksum last.
[[nodiscard]] std::array<std::byte, kHeadBytes> pack(const Head& head);

/// The head of these bytes; nothing when they are too few, of another version, or flipped anywhere.
[[nodiscard]] std::optional<Head> unpack(std::span<const std::byte> bytes);

/// The head of the whole entry that these bytes begin with: nothing when anything about it is
/// wrong, or when it goes on beyond them.
[[nodiscard]] std::optional<Head> leading_entry(std::span<const std::byte> bytes);

/// Where the next entry may begin, at `from` or behind it; bytes.size() when nowhere.
[[nodiscard]] std::size_t next_entry(std::span<const std::byte> bytes, std::size_t from);

/// The payload of a whole file that must hold `key`: nothing when anything about it is wrong.
[[nodiscard]] std::optional<std::span<const std::byte>> payload(std::span<const std::byte> file,
                                                                base::Key key);

}  // namespace rt::store
