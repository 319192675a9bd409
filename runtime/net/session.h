// One link between the driver and an agent: numbers what is sent, puts what comes into order, and
// notices when something is missing or nobody is there.
//
// A stream neither loses nor repeats anything while it holds. This does not rely on it: a repeated
// frame is dropped, an early one waits for those before it, and one that never comes ends the link.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "runtime/net/messages.h"

namespace rt::net {

/// The name that the transport has for a link.
using LinkId = std::uint64_t;

/// Sends frames. Neither method waits; a link that is gone takes them without a word.
class Post {
 public:
  virtual ~Post() = default;
  virtual void send(LinkId link, Channel channel, base::Bytes frame) = 0;
  virtual void close(LinkId link) = 0;
};

/// Not thread-safe.
class Session {
 public:
  /// From the Welcome on: every frame carries, and must carry, this epoch and agent.
  Session(LinkId link, std::uint64_t epoch, std::uint32_t agent, base::Moment now) noexcept
      : link_(link), epoch_(epoch), agent_(agent), heard_(now) {}

  [[nodiscard]] LinkId link() const noexcept { return link_; }
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }
  [[nodiscard]] std::uint32_t agent() const noexcept { return agent_; }

  void send(Post& post, Message message);
  /// Sends a Beat if the last one was sent `every` ago.
  void beat(Post& post, base::Moment now, base::Duration every);

  /// Takes a frame that has come; returns the messages that are next in order. Those of other
  /// epochs and agents, and those that came before, are dropped.
  [[nodiscard]] std::vector<Message> take(Frame frame, base::Moment now);
  /// When something last came that belongs here.
  [[nodiscard]] base::Moment heard() const noexcept { return heard_; }
  /// Whether something has been missing for so long that it will not come any more.
  [[nodiscard]] bool broken(base::Moment now, base::Duration patience) const noexcept;

  /// Frames of other epochs and agents.
  [[nodiscard]] std::uint64_t stale() const noexcept { return stale_; }

 private:
  struct Lane {
    std::uint64_t sent = 0;
    std::uint64_t taken = 0;
    std::map<std::uint64_t, Message> early;
    std::optional<base::Moment> gap_since;
  };
  void look_for_gap(Lane& lane, base::Moment now) const;

  static constexpr std::size_t kMostEarly = 256;

  LinkId link_;
  std::uint64_t epoch_;
  std::uint32_t agent_;
  std::array<Lane, kChannels> lanes_;
  std::uint64_t bulk_told_ = 0;  ///< what the other side said that it has sent there
  base::Moment heard_;
  std::optional<base::Moment> beaten_;
  std::uint64_t stale_ = 0;
};

}  // namespace rt::net
