// Arrays that one member of a gang hands to another, apart from sums: the activations and the
// gradients at a cut of a pipeline.
//
// Messages between two members keep their order in each direction, and share the links with sums:
// between the last handover and the next sum, everything has been sent and taken.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "base/clock.h"
#include "runtime/net/sums/links.h"

namespace rt::net::sums {

/// Names a handover for both members.
struct HandoverTag {
  std::uint64_t epoch = 0;     ///< of the membership
  std::uint64_t step = 0;      ///< of the training
  std::uint32_t shard = 0;     ///< of the step
  std::uint32_t backward = 0;  ///< 1: gradients, on their way back
  bool operator==(const HandoverTag&) const = default;
};

/// Not thread-safe. Methods throw LinkLost; then this and the links are of no more use.
class Handovers {
 public:
  explicit Handovers(Links& links);

  /// Begins to send arrays of a multiple of 4 bytes, in one message. They stay unchanged until it
  /// has left. Never waits.
  void send(int peer, const HandoverTag& tag, std::span<const std::span<const std::byte>> parts);
  /// Waits for the peer's next message, and fills `parts` with it. Throws LinkLost for another
  /// message than that one. Sends meanwhile.
  void receive(int peer, const HandoverTag& tag, std::span<const std::span<std::byte>> parts);
  /// Sends what can be sent without waiting.
  void advance();
  /// Waits until everything for the peer has left. Sends to the others meanwhile.
  void finish(int peer);
  /// Returns true if nothing is on its way to anybody.
  [[nodiscard]] bool idle() const noexcept;

  /// Returns bytes sent so far, those that frame messages included.
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  /// Returns how long this member had nothing to do but to wait for peers.
  [[nodiscard]] base::Duration waited() const noexcept { return waited_; }

 private:
  /// Precedes each message.
  struct Header {
    HandoverTag tag;
    std::uint64_t bytes = 0;
  };
  static_assert(sizeof(Header) == 32);
  struct Outgoing {
    Header header;
    std::vector<std::span<const std::byte>> parts;
    std::size_t head = 0;              ///< bytes of the header that are sent
    std::size_t part = 0, offset = 0;  ///< of the next byte of the parts
  };

  /// Sends to one peer as long as there is room.
  void send_some(int peer, std::deque<Outgoing>& queue);
  /// Copies what has come from the peer, and returns how many bytes that was.
  std::size_t read_some(int peer, std::span<std::byte> into);
  void read(int peer, std::span<std::byte> into);
  /// Waits until something comes from `from` (none: -1), or there is room for what is to be sent.
  void wait(int from);

  Links& links_;
  std::vector<std::deque<Outgoing>> outgoing_;  ///< one a member
  std::uint64_t sent_ = 0;
  base::Duration waited_{};
};

}  // namespace rt::net::sums
