#pragma once
// What the trials of a plan cost, added up as they play: work that was counted before runs once.

#include <cstdint>
#include <set>
#include <vector>

#include "base/hash.h"
#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/planning/forecast.h"
#include "hpo/driver/planning/plan.h"
#include "hpo/place/timetable.h"
#include "runtime/place/device_model.h"

namespace hpo {

/// Of a study on a platform. Not thread-safe.
class PlanCosts {
 public:
  PlanCosts(const LoadedStudy& loaded, const rt::Platform& platform);

  /// Slots of the study on that platform.
  [[nodiscard]] std::int64_t slots() const { return slots_; }

  /// Adds a segment of a trial that trains `networks` side by side, `epochs` epochs each. Returns
  /// its FLOPs.
  double add(std::uint64_t trial, const std::vector<Work>& segment, int networks,
             std::int64_t epochs);
  /// A network of so many bytes may be held.
  void add_network(std::uint64_t bytes) { largest_ = bytes > largest_ ? bytes : largest_; }

  /// Lower bound of what was added so far, on the platform.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// The counts of what was added, in a plan without trials and devices.
  [[nodiscard]] Plan counts() const;
  /// What every trial does, in the order of trials.
  [[nodiscard]] std::vector<PaperTrial> on_paper() const;

 private:
  [[nodiscard]] double seconds_of(const Work& work) const;
  void note(std::uint64_t trial, Work work, int times);

  const StudyData& data_;
  std::int64_t slots_;
  rt::Platform platform_;
  bool open_;        ///< which kind of device a task is for
  double gpu_from_;  ///< FLOPs of a step from which on it is for a GPU, where that is said
  Plan counts_;
  std::uint64_t largest_ = 0;
  double distinct_epochs_ = 0;
  double seconds_ = 0;
  std::set<base::Key> seen_;
  std::vector<std::vector<Work>> done_;
};

}  // namespace hpo
