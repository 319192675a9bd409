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

/// Words as a shell would split them. Throws base::Error (usage) that names `option` for a
/// quotation mark without its other one.
[[nodiscard]] std::vector<std::string> words_of(const std::string& text, const std::string& option);

/// A node of the cluster that this machine is not; empty where Slurm names none.
[[nodiscard]] std::string some_slurm_node();

/// Submits the array, and cancels what is left of it at its end.
class SlurmArray {
 public:
  /// `study`: its folder, which all nodes see; `agent`: the words that start an agent there. Throws
  /// base::Error (usage) with Slurm's words where it refuses.
  SlurmArray(const base::Path& study, const SlurmWish& wish, const std::vector<std::string>& agent);
  ~SlurmArray();
  SlurmArray(const SlurmArray&) = delete;
  SlurmArray& operator=(const SlurmArray&) = delete;

  [[nodiscard]] const std::string& job() const noexcept { return job_; }
  /// How many jobs there are by state, when that has changed: "2 running, 6 pending (Resources)".
  [[nodiscard]] std::optional<std::string> news();

 private:
  void watch(const std::stop_token& over);

  std::string job_;
  std::mutex mutex_;  ///< guards what follows
  std::string said_, told_;
  std::jthread watcher_;
};

}  // namespace hpo
