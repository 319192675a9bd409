#pragma once
// A training whose replicas finish in an order that only the machine knows, and the file that
// repeats it.

#include <optional>

#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/sweep.h"
#include "hpo/study/trial_spec.h"
#include "tasks/arrivals.h"

namespace hpo {

/// In the folder of a training.
inline constexpr const char* kArrivalsFile = "model-arrivals.txt";

/// While it lives, replicas train by arrival if the study says so: by the events of
/// RunOptions::repeat, or by those that an earlier start of the training has left in its folder,
/// and behind them as they come.
class ByArrival {
 public:
  /// Throws base::Error: usage (the study has no such replicas, or they may train on a GPU), data
  /// (the file).
  ByArrival(const LoadedStudy& loaded, const TrialSpec& spec, const RunOptions& options, int gpus);
  ~ByArrival() { tasks::train_by_arrival(nullptr); }
  ByArrival(const ByArrival&) = delete;
  ByArrival& operator=(const ByArrival&) = delete;

  /// Returns the file that repeats the training; empty: it repeats anyway.
  [[nodiscard]] const base::Path& file() const noexcept { return file_; }

 private:
  base::Path file_;
  std::optional<tasks::ArrivalBook> book_;
};

}  // namespace hpo
