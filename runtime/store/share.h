// How much of the time writing may take.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/clock.h"

namespace rt::store {

/// Counts the seconds that writing took since it was made against a share of all of them, and
/// learns what an entry takes: the interval between two checkpoints is then what their cost and the
/// share make it (CheckFreq, Mohan et al. 2021: cost / (share * time between)). Thread-safe.
class Share {
 public:
  /// `share` in [0, 1]; 0: writing is never allowed, 1: always.
  explicit Share(double share);

  /// Whether an entry of so many bytes fits into what is left.
  [[nodiscard]] bool allows(std::uint64_t bytes) const;
  /// Whether writing an entry of so many bytes, at a usual pace, takes no more than the share of
  /// the `cost` seconds that it took to compute: if all that is written is worth it, so is the
  /// whole.
  [[nodiscard]] bool worth(double cost, std::uint64_t bytes) const;
  /// Whether enough is left to be worth a task.
  [[nodiscard]] bool allows_round() const;
  void took(double seconds, std::uint64_t bytes);
  [[nodiscard]] double spent() const;

 private:
  [[nodiscard]] double left() const;

  const double share_;
  const base::Moment since_;
  mutable std::mutex mutex_;
  double spent_ = 0;
  double pace_;  ///< seconds a byte, as measured
};

/// What writing an entry takes, in bytes: making a file of its own counts as some more.
[[nodiscard]] double bytes_to_write(std::uint64_t bytes);

}  // namespace rt::store
