#pragma once
// The file in which a training by arrival writes down its events (nn/training/arrivals.h).

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/file.h"
#include "nn/training/arrivals.h"

namespace tasks {

/// What is known of one training. The task that trains reads and writes it, one call after another.
class ArrivalBook {
 public:
  /// Of a file that the training itself has written, if that is there: what a stop has left
  /// unfinished is dropped, and so is what another training has written. `training` is one word for
  /// what is trained. Throws base::Error (data) if the file is damaged.
  static ArrivalBook own(base::Path file, std::string training, const nn::Staleness& staleness);
  /// Of a file that a training is to repeat, for `epochs` epochs. It is never written. Throws
  /// base::Error (data) if it is not that training's, or shorter.
  static ArrivalBook to_repeat(const base::Path& file, const std::string& training,
                               const nn::Staleness& staleness, std::int64_t epochs);

  [[nodiscard]] nn::Arrivals& arrivals() noexcept { return arrivals_; }
  /// Appends the epochs that have come since the last call to the file.
  void write();

 private:
  base::Path file_;  ///< empty: none is written
  std::string training_;
  nn::Arrivals arrivals_;
  std::size_t written_ = 0;  ///< epochs
};

/// From now on tasks::train() trains replicas in the order in which they finish, which that book
/// gets. It outlives all trainings. Null: in virtual time. Not while a task runs.
void train_by_arrival(ArrivalBook* book);
[[nodiscard]] ArrivalBook* arrivals_of_training();

}  // namespace tasks
