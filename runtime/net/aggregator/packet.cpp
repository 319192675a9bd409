#include "runtime/net/aggregator/packet.h"

#include <bit>
#include <cstring>

namespace rt::net::aggregator {
namespace {

static_assert(std::endian::native == std::endian::little,
              "packets have their integers low byte first");

constexpr std::uint16_t kMark = 0x4754;

struct Header {
  std::uint16_t mark;
  std::uint8_t worker;
  BlockExponent exponent;
  std::uint32_t job;
  std::uint32_t round;
  std::uint32_t slot;
};
static_assert(sizeof(Header) == kHeaderBytes);

}  // namespace

std::size_t encode(const Packet& packet, std::span<std::byte, kMostPacketBytes> bytes) noexcept {
  const Header header{kMark, packet.worker, packet.exponent, packet.job, packet.round, packet.slot};
  std::memcpy(bytes.data(), &header, kHeaderBytes);
  const std::size_t size = byte_count(packet);
  if (!packet.integers.empty()) {
    std::memcpy(bytes.data() + kHeaderBytes, packet.integers.data(), size - kHeaderBytes);
  }
  return size;
}

std::optional<Packet> decode(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes || bytes.size() > kMostPacketBytes) return std::nullopt;
  Header header{};
  std::memcpy(&header, bytes.data(), kHeaderBytes);
  const auto body = bytes.subspan(kHeaderBytes);
  if (header.mark != kMark || body.size() % sizeof(std::int32_t) != 0) return std::nullopt;
  Packet packet{header.job, header.round, header.slot, header.worker, header.exponent, {}};
  packet.integers.resize(body.size() / sizeof(std::int32_t));
  if (!body.empty()) std::memcpy(packet.integers.data(), body.data(), body.size());
  return packet;
}

}  // namespace rt::net::aggregator
