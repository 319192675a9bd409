// Links that are as slow as those of a network, between threads of one process: what a kernel and a
// network card do while a program computes is played from the moments at which bytes were sent.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.h"
#include "runtime/net/sums/links.h"

namespace bench {

/// One direction between two members. Thread-safe.
class SlowWire {
 public:
  /// `bandwidth` in bytes a second, `latency` in seconds.
  SlowWire(double bandwidth, double latency) : bandwidth_(bandwidth), latency_(latency) {}

  void sent(std::size_t bytes);
  /// Returns how many of all bytes that were sent have come.
  [[nodiscard]] std::size_t come();

 private:
  struct Message {
    std::size_t bytes;
    base::Moment begun;  ///< when its first byte comes
  };

  const double bandwidth_, latency_;
  std::mutex mutex_;
  std::deque<Message> under_way_;
  base::Moment free_{};
  std::size_t come_ = 0;
};

/// The wires between all members, [from][to].
using SlowWires = std::vector<std::vector<std::unique_ptr<SlowWire>>>;
[[nodiscard]] SlowWires slow_wires(int members, double bandwidth, double latency);

/// Other links behind such wires. What is on its way lies in the others, which have room for it.
class SlowLinks final : public rt::net::sums::Links {
 public:
  /// Everything referred to outlives this.
  SlowLinks(rt::net::sums::Links& links, SlowWires& wires)
      : links_(links), wires_(wires), taken_(wires.size()) {}

  [[nodiscard]] int members() const noexcept override { return links_.members(); }
  [[nodiscard]] int own() const noexcept override { return links_.own(); }
  std::size_t send(int peer, std::span<const std::byte> head,
                   std::span<const std::byte> body) override;
  bool flush(int peer) override { return links_.flush(peer); }
  std::span<const std::byte> incoming(int peer) override;
  void take(int peer, std::size_t bytes) override;
  void wait(std::span<const int> from, std::span<const int> to, base::Duration most) override;

 private:
  rt::net::sums::Links& links_;
  SlowWires& wires_;
  std::vector<std::size_t> taken_;  ///< by peer
};

}  // namespace bench
