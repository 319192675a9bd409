#pragma once
// Training by replicas that do not wait for each other at every step, in virtual time: bounded
// staleness (Ho et al. 2013) whose course follows from counted rows and the seed alone, so that it
// repeats on any machine.
//
// Each replica takes the next batch of the epoch, computes its gradient with the weights of that
// moment, and applies it when its time is over. A batch takes a time of one for each row, and with
// a probability `factor` times as long. A replica may begin a batch if it has finished at most
// `bound` more than the replica that has finished the fewest. At the end of an epoch all wait for
// each other.

#include <cstdint>
#include <functional>
#include <vector>

namespace nn {

/// How far replicas may part.
struct Staleness {
  std::int32_t bound = 0;  ///< batches; 0: all wait for the slowest one
  std::int32_t replicas = 1;
  double factor = 1;       ///< a delayed batch takes so many times as long
  double probability = 0;  ///< of a delay, in [0, 1)
  auto operator<=>(const Staleness&) const = default;
};

/// A replica begins to compute a gradient, or ends and applies it.
struct StaleEvent {
  bool begins = true;
  std::int32_t replica = 0;
  std::int64_t step = 0;  ///< the batch, counted from the beginning of the epoch
  bool operator==(const StaleEvent&) const = default;
};

/// The course of one epoch.
struct StaleEpoch {
  std::vector<StaleEvent> events;  ///< in the order of their time, then of replicas
  double time = 0;                 ///< until the last one, in rows
};

/// Returns the course of epoch `epoch` of `steps` batches, of which batch i has rows(i) rows.
/// `stream` is Hyper::shuffle.
[[nodiscard]] StaleEpoch stale_epoch(const Staleness& staleness, std::uint64_t stream,
                                     std::int64_t epoch, std::int64_t steps,
                                     const std::function<std::int64_t(std::int64_t)>& rows);

}  // namespace nn
