// The switch of an aggregation: adds the workers' packets slot by slot, whatever the network loses
// or repeats. A state machine without clock, threads or sockets.
//
// Source: A. Sapio et al., "Scaling Distributed Machine Learning with In-Network Aggregation",
// NSDI 2021, the switch algorithm with recovery from packet loss.
//
// A slot has two pools, one for its even rounds and one for its odd ones. While the workers fill
// one pool, the other keeps the sum before it (the shadow copy) for a worker that missed it. This
// suffices: a worker fills round r + 2 only after the sum of r + 1, to which every worker
// contributed after it had the sum of r.
//
// We add one thing to the paper's protocol: packets carry their round, not only its parity. A
// packet that a network repeats and delays may come after its sender went on. By parity alone it
// would count as the next packet of its pool.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/net/aggregator/packet.h"

namespace rt::net::aggregator {

/// Whether the switch remembers which workers a sum has. `off` shows what the bitmap is there for.
enum class Bitmap : std::uint8_t { on, off };

class Switch {
 public:
  /// `workers` is from 1 to kMostWorkers.
  Switch(std::uint32_t job, unsigned workers, std::uint32_t slots, Bitmap bitmap = Bitmap::on);

  enum class To : std::uint8_t {
    nobody,
    sender,    ///< a sum that the sender of this packet has missed
    everybody  ///< a sum that this packet completed
  };
  struct Answer {
    To to = To::nobody;
    Packet sum;
  };

  /// Takes a worker's packet.
  [[nodiscard]] Answer receive(const Packet& term);

  /// Packets that repeated a term that the sum has already.
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }
  /// Packets of rounds that their sender has left, of other jobs, and of no slot or worker.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_; }

 private:
  struct Pool {
    std::uint32_t round = 0;
    unsigned count = 0;      ///< terms, modulo the number of workers
    std::uint64_t seen = 0;  ///< a bit for each worker
    BlockExponent exponent = 0;
    std::vector<std::int32_t> integers;
  };
  using Slot = std::array<Pool, 2>;

  [[nodiscard]] bool acceptable(const Packet& term) const noexcept;
  [[nodiscard]] static Answer answer(To to, const Pool& pool, const Packet& term);

  std::uint32_t job_;
  unsigned workers_;
  Bitmap bitmap_;
  std::vector<Slot> slots_;
  std::uint64_t repeated_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace rt::net::aggregator
