#include "runtime/net/messages.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"
#include "runtime/codec.h"

namespace rt::net {

namespace {

/// "Trn" and the number of the protocol.
constexpr std::array<std::byte, 4> kProtocol{std::byte{'T'}, std::byte{'r'}, std::byte{'n'},
                                             std::byte{1}};

}  // namespace

Channel channel_of(const Message& message) noexcept {
  return std::holds_alternative<Ask>(message) || std::holds_alternative<Give>(message) ||
                 std::holds_alternative<Gone>(message)
             ? Channel::bulk
             : Channel::control;
}

base::Bytes encode_frame(const Frame& frame) {
  Writer w;
  w.put_raw(kProtocol.data(), kProtocol.size());
  w.put(frame);
  base::Bytes bytes = std::move(w).bytes();
  if (bytes.size() > kMostFrame) {
    throw base::Error(base::Errc::data,
                      base::cat("a message of ", bytes.size(), " bytes; ", kMostFrame,
                                " are the most that driver and agents take"));
  }
  return bytes;
}

Frame decode_frame(std::span<const std::byte> bytes) {
  if (bytes.size() > kMostFrame)
    throw base::Error(base::Errc::data, base::cat("a message of ", bytes.size(), " bytes"));
  if (bytes.size() < kProtocol.size() ||
      !std::equal(kProtocol.begin(), kProtocol.begin() + 3, bytes.begin()))
    throw base::Error(base::Errc::data, "a message that is not Trellis's");
  if (bytes[3] != kProtocol[3])
    throw base::Error(base::Errc::data, "a message of another version of Trellis");
  return decode<Frame>(bytes.subspan(kProtocol.size()));
}

}  // namespace rt::net
