// Runs sums over the links of a gang. Sums run one after the other, in the order in which they were
// begun, which must be the same on all members: buckets of a slab, highest layer first. Only what
// the next one sends first may leave while one still receives, so that links are not idle until
// somebody calls. Whoever computes gradients begins sums and calls advance() now and then.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/net/sums/arithmetic.h"
#include "runtime/net/sums/links.h"
#include "runtime/net/sums/schedule.h"

namespace rt::net::sums {

/// Names a sum for all members. Messages of another (epoch, step) that come late are dropped.
struct Tag {
  std::uint64_t epoch = 0;   ///< of the membership
  std::uint64_t step = 0;    ///< of the training
  std::uint32_t bucket = 0;  ///< of the step
  bool operator==(const Tag&) const = default;
};

/// How long a peer is waited for.
inline constexpr base::Duration kPatience = std::chrono::seconds(30);

struct Sum {
  Tag tag;
  std::shared_ptr<const Schedule> schedule;  ///< this member's
  /// The buffers that the schedule names; they stay until the sum is done. Aligned to an element.
  std::vector<std::byte*> buffers;
  Arithmetic arithmetic = Arithmetic::floats;
  bool is_ready = false;  ///< the buffers do not wait for the sums before it
  /// Called before the first round, and when the sum is there. May be empty, may throw.
  std::function<void()> before = {}, after = {};
};

/// Not thread-safe.
class Exchange {
 public:
  explicit Exchange(Links& links) : links_(links) {}

  void begin(Sum sum);
  /// Does what can be done without waiting, as long as that is much at a time: on a slow link
  /// something comes all the time, and who takes it as it comes does nothing else. Returns true if
  /// something was done. Throws LinkLost: then the sums that are not done never will be.
  bool advance();
  /// Returns the sums that were begun and are not done.
  [[nodiscard]] std::size_t pending() const noexcept { return sums_.size(); }
  /// Waits until at most `pending` sums are left. Throws LinkLost as advance() does, and for a peer
  /// that is waited for longer than `patience`.
  void finish(std::size_t pending = 0, base::Duration patience = kPatience);

  /// Returns the messages that were dropped because they came late.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }
  /// Returns bytes sent so far, those that frame messages included.
  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  /// Returns how long finish() had nothing to do but to wait for peers.
  [[nodiscard]] base::Duration waited() const noexcept { return waited_; }

 private:
  /// Precedes each message.
  struct Header {
    std::uint64_t epoch, step;
    std::uint32_t bucket, number;  ///< the message's, among those of the two members in this sum
    std::uint64_t bytes;
  };
  static_assert(sizeof(Header) == 32);
  struct Outgoing {
    Send send;
    Header header;
    std::size_t done = 0;
  };
  struct Incoming {
    Receive receive;
    std::uint32_t number = 0;
    std::size_t done = 0;
  };
  /// What is half read of a peer's stream.
  struct Reading {
    std::array<std::byte, sizeof(Header)> header;
    std::size_t have = 0;       ///< bytes of the header
    std::uint64_t skipped = 0;  ///< bytes of a late message that are still to be dropped
  };

  /// A sum that was begun.
  struct Running {
    Sum sum;
    bool open = false;
    std::size_t round = 0;
    std::vector<Outgoing> outgoing{};
    std::vector<Incoming> incoming{};
    std::vector<std::uint32_t> sent_to{}, received_from{};  ///< messages, by peer
    [[nodiscard]] bool is_over() const { return round >= sum.schedule->rounds.size(); }
    [[nodiscard]] bool sends_more() const;
  };

  /// Goes on as long as so many bytes move in a turn.
  bool run(std::size_t least);
  void open(Running& running);
  static void open_round(Running& running);
  void close_round(Running& running);
  // Each returns how many bytes have moved.
  std::size_t send_some(Running& running);
  std::size_t send_ahead();
  std::size_t receive_some();
  std::size_t receive(Incoming& incoming);
  std::size_t read_header(const Incoming& incoming, Reading& reading);
  std::size_t skip(int peer, Reading& reading);
  [[nodiscard]] std::byte* at(const Sum& sum, const Piece& piece);
  [[nodiscard]] std::span<const std::byte> bytes_of(const Sum& sum, const Piece& piece);

  Links& links_;
  std::deque<Running> sums_;  ///< the first one runs
  std::vector<Reading> reading_ = std::vector<Reading>(static_cast<std::size_t>(links_.members()));
  std::vector<float> scratch_;
  std::uint64_t dropped_ = 0, sent_ = 0;
  base::Duration waited_{};
};

}  // namespace rt::net::sums
