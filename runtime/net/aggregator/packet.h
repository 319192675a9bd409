// The packets between the workers and the switch of an aggregation, and their bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/net/block_integers.h"

namespace rt::net::aggregator {

/// Most workers of one aggregation: the switch remembers them in the bits of one word.
inline constexpr unsigned kMostWorkers = 64;

/// A term from a worker to the switch, or a sum from the switch to its workers. A slot takes one
/// block after the other in rounds. Its first round has no integers, only an exponent.
struct Packet {
  std::uint32_t job = 0;       ///< packets of other jobs are dropped
  std::uint32_t round = 0;     ///< counts the uses of a slot; even and odd ones have a pool each
  std::uint32_t slot = 0;      ///< the place in the switch's pools
  std::uint8_t worker = 0;     ///< the sender of a term, or the worker to whom a sum answers
  BlockExponent exponent = 0;  ///< that of the slot's next block: one round ahead of its integers
  std::vector<std::int32_t> integers;  ///< of this round's block; at most kBlockFloats
};

inline constexpr std::size_t kHeaderBytes = 16;
inline constexpr std::size_t kMostPacketBytes = kHeaderBytes + kBlockFloats * sizeof(std::int32_t);

/// Returns the number of bytes that encode() writes.
[[nodiscard]] inline std::size_t byte_count(const Packet& packet) noexcept {
  return kHeaderBytes + packet.integers.size() * sizeof(std::int32_t);
}

/// Writes the packet's bytes and returns their number.
std::size_t encode(const Packet& packet, std::span<std::byte, kMostPacketBytes> bytes) noexcept;

/// Reads a packet; nothing if the bytes are none. Anybody can send a datagram to a port.
[[nodiscard]] std::optional<Packet> decode(std::span<const std::byte> bytes);

/// Sends a worker's packets. May lose, repeat and reorder them.
class Wire {
 public:
  virtual ~Wire() = default;
  virtual void send(const Packet& packet) = 0;
};

}  // namespace rt::net::aggregator
