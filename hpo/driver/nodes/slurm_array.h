#pragma once
// Agents that Slurm starts as it has nodes free: an array of jobs, one for each agent.

#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/file.h"
#include "hpo/driver/sweep.h"

namespace hpo {

/// Submits the array, or what is missing of one that an earlier driver of the study left behind,
/// and cancels what is left of it at its end.
class SlurmArray {
 public:
  /// `study`: its folder, which all nodes see; `agent`: the words that start an agent there. Throws
  /// base::Error (usage) with Slurm's words where it refuses.
  SlurmArray(const base::Path& study, const SlurmWish& wish, const std::vector<std::string>& agent);
  ~SlurmArray();
  SlurmArray(const SlurmArray&) = delete;
  SlurmArray& operator=(const SlurmArray&) = delete;

  /// Slurm's number; several have commas between them.
  [[nodiscard]] const std::string& jobs() const noexcept { return jobs_; }
  /// They are not cancelled at the end: this driver is started again, and goes on with them.
  void keep() noexcept { kept_ = true; }

  /// How many jobs there are by state, when that has changed: "2 running, 6 pending (Resources)".
  [[nodiscard]] std::optional<std::string> news();

 private:
  int adopt(int wanted);
  void submit(const base::Path& study, const SlurmWish& wish, int agents,
              const std::vector<std::string>& agent);
  void watch(const std::stop_token& over);

  base::Path file_;  ///< says which jobs there are, should this process end without cancelling them
  std::string jobs_;
  bool kept_ = false;
  std::mutex mutex_;  ///< guards what follows
  std::string said_, told_;
  std::jthread watcher_;
};

}  // namespace hpo
