// A worker of an aggregation: sends its floats block by block to the switch and puts the sums
// together. A state machine without clock, threads or sockets.
//
// Source: A. Sapio et al., "Scaling Distributed Machine Learning with In-Network Aggregation",
// NSDI 2021, the worker algorithm with recovery from packet loss.
//
// With s slots, block j uses slot j mod s. A worker begins with one packet for each slot. It sends
// a slot's next packet when the slot's sum arrives, so at most s packets of a worker are under way
// and nobody else controls the flow. Packets that get no answer are sent again.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "runtime/net/aggregator/layout.h"
#include "runtime/net/aggregator/packet.h"

namespace rt::net::aggregator {

/// What the workers of an aggregation agree on, and this worker's number among them.
struct Seat {
  std::uint32_t job = 0;
  unsigned worker = 0;
  unsigned workers = 1;
  std::uint32_t slots = 128;
};

/// When a packet is sent again. The default is SwitchML's.
struct Patience {
  base::Duration first = std::chrono::milliseconds(10);
  unsigned doubled_after = 100;  ///< packets sent again since the last sum came
};

/// Not thread-safe.
class Worker {
 public:
  Worker(const Seat& seat, const Patience& patience, Wire& wire);

  /// Begins a sum; the one before is done. Keeps the layout and the values until done().
  void begin(const Layout& layout, std::span<const float> values, base::Moment now);
  /// Takes a packet of the switch. Packets that are not the next of their slot change nothing.
  void receive(const Packet& sum, base::Moment now);
  /// Sends the packets again whose answer is overdue.
  void resend(base::Moment now);

  /// When resend() has something to do next; nothing when no answer is awaited.
  [[nodiscard]] std::optional<base::Moment> due() const;
  [[nodiscard]] bool done() const noexcept { return missing_ == 0; }

  /// The sum. Throws base::Error (data) that names the first tensor in which any worker has a NaN
  /// or an infinity. All workers throw the same.
  [[nodiscard]] std::span<const float> sum() const;

  [[nodiscard]] std::uint64_t sent() const noexcept { return sent_; }
  [[nodiscard]] std::uint64_t resent() const noexcept { return resent_; }

 private:
  struct Slot {
    std::uint32_t first_round = 0;  ///< of this sum: the round of exponents
    std::uint32_t step = 0;         ///< rounds since the first
    BlockExponent exponent = 0;     ///< of all workers, for the block of this step
    std::optional<base::Moment> due;
  };

  [[nodiscard]] std::size_t block_at(std::uint32_t slot) const noexcept;
  [[nodiscard]] Packet packet_of(std::uint32_t slot) const;
  void take(const Block& block, BlockExponent exponent, const Packet& sum);
  void send(std::uint32_t slot, base::Moment now);
  void await(std::uint32_t slot, std::optional<base::Moment> until);
  [[nodiscard]] base::Duration interval() const noexcept;

  Seat seat_;
  Patience patience_;
  Wire* wire_;
  const Layout* layout_ = nullptr;
  std::span<const float> values_;
  std::vector<Slot> slots_;
  std::set<std::pair<base::Moment, std::uint32_t>> awaited_;  ///< by the time they are due
  std::vector<float> sum_;
  std::size_t missing_ = 0;                ///< blocks
  std::optional<std::size_t> not_finite_;  ///< the first such block
  unsigned unanswered_ = 0;                ///< packets sent again since the last sum came
  std::uint64_t sent_ = 0;
  std::uint64_t resent_ = 0;
};

}  // namespace rt::net::aggregator
