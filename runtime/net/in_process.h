// A network inside one process that misbehaves on purpose, in its own time: for tests, and for
// studies of many agents on one machine.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "runtime/net/session.h"

namespace rt::net {

/// How badly the network behaves. Probabilities are for each frame.
struct Weather {
  double lose = 0;
  double repeat = 0;
  double late = 0;  ///< behind frames that were sent after it
  base::Duration delay = std::chrono::microseconds(50);
  base::Duration lateness = std::chrono::milliseconds(200);  ///< at most, of one that is late
  double bandwidth = 1e9;                                    ///< bytes a second, of each direction
};

/// A link with full duplex that several nodes may share.
struct Cable {
  base::Duration delay{};
  double bandwidth = 1e9;  ///< bytes a second, in each direction
};

/// What a node does with what comes.
class EndPoint {
 public:
  virtual ~EndPoint() = default;
  virtual void opened(LinkId link) = 0;
  virtual void received(LinkId link, std::span<const std::byte> frame) = 0;
  virtual void closed(LinkId link) = 0;
};

/// Node 0 is the driver, and each other node has a link to it, which has the node's number. A link
/// that was closed and opened again is the same one: frames from before may still come, which no
/// stream would do. Everything happens inside step(), in the order of virtual time, and is the same
/// each time for a seed. Not thread-safe.
class InProcess {
 public:
  using Node = std::uint32_t;

  InProcess(std::uint64_t seed, std::size_t nodes);

  [[nodiscard]] base::Moment now() const noexcept { return now_; }
  [[nodiscard]] base::Stream& dice() noexcept { return dice_; }
  void set_weather(const Weather& weather) noexcept { weather_ = weather; }

  /// Adds a cable and returns its number.
  std::size_t add_cable(const Cable& cable);
  /// The cables between a node and the driver, by number, from the node on. Frames then take the
  /// time of these, whatever the weather: the sum of the delays, and a frame's bytes pass each
  /// cable after those that were sent before them. None: the weather's one cable for each
  /// direction.
  void set_route(Node node, std::vector<std::size_t> cables) { routes_[node] = std::move(cables); }

  /// The end of a node; null: nobody is there, and nothing comes or goes.
  void attach(Node node, EndPoint* end);
  /// How a node sends.
  [[nodiscard]] Post& post(Node node) noexcept { return posts_[node]; }
  /// Connects a node to the driver; opened() comes on both sides, or closed() on the node's.
  void dial(Node node);
  /// Cuts a node off, without a word, or connects it again.
  void cut(Node node, bool off) { off_[node] = off; }
  /// Lets a node stand still until then: what comes for it waits, its timers too.
  void freeze(Node node, base::Moment until) { frozen_[node] = until; }

  /// Calls the function later. One of a node that has been replaced meanwhile is not called.
  void after(base::Duration delay, Node node, std::function<void()> function);
  /// Lets the next thing happen; false: nothing will.
  bool step();

  [[nodiscard]] std::uint64_t frames() const noexcept { return frames_; }

 private:
  struct NodePost final : Post {
    InProcess* network = nullptr;
    Node node = 0;
    void send(LinkId link, Channel channel, base::Bytes frame) override;
    void close(LinkId link) override;
  };
  struct Happening {
    base::Moment at;
    std::uint64_t number;
    Node node;
    std::uint64_t life;  ///< of the node; 0: of any
    std::function<void()> function;
    bool operator<(const Happening& other) const noexcept {
      return std::pair(other.at, other.number) < std::pair(at, number);
    }
  };
  void put(base::Moment at, Node node, std::uint64_t life, std::function<void()> function);
  void carry(Node from, Node to, LinkId link, Channel channel, base::Bytes frame);
  /// When a frame that is sent now has passed the cables.
  [[nodiscard]] base::Moment passed(Node from, Node to, Channel channel, std::size_t bytes);
  /// Seconds of the route's cables, or of the weather, until the first byte of a frame comes.
  [[nodiscard]] base::Duration delay(Node node) const;
  [[nodiscard]] bool separated(Node a, Node b) const { return off_[a] || off_[b]; }

  base::Stream dice_;
  Weather weather_;
  base::Moment now_;
  std::uint64_t happenings_ = 0;
  std::uint64_t frames_ = 0;
  std::priority_queue<Happening> queue_;
  std::vector<NodePost> posts_;
  std::vector<EndPoint*> ends_;
  std::vector<std::uint64_t> lives_;
  std::vector<bool> off_;
  std::vector<base::Moment> frozen_;
  std::map<std::array<std::uint64_t, 3>, base::Moment> free_;  ///< when a direction is, by channel
  std::vector<Cable> cables_;
  std::vector<std::vector<std::size_t>> routes_;  ///< of each node
  /// When a cable is free: by cable, direction (to the driver: 1) and channel.
  std::map<std::array<std::uint64_t, 3>, base::Moment> cable_free_;
};

}  // namespace rt::net
