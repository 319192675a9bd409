#include "hpo/driver/nodes/slurm_array.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/clock.h"
#include "base/shell.h"
#include "base/text.h"
#include "hpo/driver/nodes/net_folder.h"
#include "hpo/driver/nodes/slurm_jobs.h"
#include "runtime/net/slurm.h"

namespace hpo {

namespace {

constexpr int kLooks = 50;  ///< so many tenths of a second between two looks at the queue

/// "2 running, 6 pending (Resources)".
std::string summary(const std::string& queue) {
  std::map<std::string, int> counts;
  std::map<std::string, std::string> reasons;
  std::istringstream lines(queue);
  std::string state;
  std::string reason;
  while (lines >> state && std::getline(lines >> std::ws, reason)) {
    std::transform(state.begin(), state.end(), state.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    ++counts[state];
    if (reason != "None") reasons[state] = reason;
  }
  std::string out;
  for (const auto& [name, count] : counts) {
    out += base::cat(out.empty() ? "" : ", ", count, " ", name);
    if (reasons.contains(name)) out += base::cat(" (", reasons[name], ")");
  }
  return out;
}

}  // namespace

SlurmArray::SlurmArray(const base::Path& study, const SlurmWish& wish,
                       const std::vector<std::string>& agent)
    : file_(NetFolder(study).path() / "slurm-jobs") {
  const int kept = adopt(wish.agents);
  if (kept < wish.agents) submit(study, wish, wish.agents - kept, agent);
  watcher_ = std::jthread([this](const std::stop_token& over) { watch(over); });
}

/// What an earlier driver has asked for and left. Where Slurm does not say how much that is, all
/// that is wanted: twice as many nodes would be worse than a few less.
int SlurmArray::adopt(int wanted) {
  int kept = 0;
  if (!base::file_size(file_)) return kept;
  std::istringstream before(base::read_file(file_));
  for (std::string job; before >> job;) {
    const std::optional<int> left = jobs_left(job);
    if (left == 0) continue;
    kept += left.value_or(wanted);
    jobs_ += (jobs_.empty() ? "" : ",") + job;
  }
  return kept;
}

void SlurmArray::submit(const base::Path& study, const SlurmWish& wish, int agents,
                        const std::vector<std::string>& agent) {
  const base::Path log = file_.parent_path() / "slurm-%A_%a.log";
  std::string command;
  for (const std::string& word : agent) command += base::shell_quoted(word) + " ";
  // Slurm starts a driver again after two minutes and more.
  command += "--orphan 300 --node \"$SLURMD_NODENAME.$SLURM_ARRAY_TASK_ID\"";
  const std::string job =
      submit_job(study, wish, {base::cat("--array=1-", agents), "--output=" + log.string()},
                 agent_script(command));
  jobs_ += (jobs_.empty() ? "" : ",") + job;
  std::string lines = jobs_ + "\n";
  std::ranges::replace(lines, ',', '\n');
  base::write_file_atomic(file_, lines, base::Durability::cached);
}

SlurmArray::~SlurmArray() {
  watcher_ = {};
  std::vector<std::string> jobs;
  std::istringstream words(jobs_);
  for (std::string job; std::getline(words, job, ',');) jobs.push_back(job);
  if (kept_ || !rt::net::ask_slurm("scancel", jobs)) return;  // the next driver finds them
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

void SlurmArray::watch(const std::stop_token& over) {
  for (int tenth = 0; !over.stop_requested(); tenth = (tenth + 1) % kLooks) {
    if (tenth == 0) {
      const auto queue = rt::net::ask_slurm(
          "squeue", {"--noheader", "--array", "--job=" + jobs_, "--format=%T %r"});
      const std::scoped_lock lock(mutex_);
      if (queue) said_ = queue->empty() ? "none is left" : summary(*queue);
    }
    base::sleep_for(std::chrono::milliseconds(100));
  }
}

std::optional<std::string> SlurmArray::news() {
  const std::scoped_lock lock(mutex_);
  if (said_ == told_) return {};
  told_ = said_;
  return told_;
}

}  // namespace hpo
