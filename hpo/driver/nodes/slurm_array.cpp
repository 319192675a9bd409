#include "hpo/driver/nodes/slurm_array.h"

#include <wordexp.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/shell.h"
#include "base/text.h"
#include "hpo/driver/nodes/net_folder.h"
#include "runtime/net/slurm.h"

namespace hpo {

namespace {

constexpr int kLooks = 50;  ///< so many tenths of a second between two looks at the queue

/// An agent without options of its own gets a whole node, as one that ssh starts does.
bool says_how_much(const std::vector<std::string>& options) {
  constexpr std::array<std::string_view, 7> kSizes{
      "-c", "--cpus-per-task", "--exclusive", "-s", "--oversubscribe", "-n", "--ntasks"};
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return std::any_of(kSizes.begin(), kSizes.end(), [&](std::string_view size) {
      return option.starts_with(size) &&
             (size.size() == 2 || option.size() == size.size() || option[size.size()] == '=');
    });
  });
}

/// Where sbatch says what it is that it cannot do.
std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return base::printable(text.substr(text.rfind('\n') + 1), 400);
}

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

std::vector<std::string> words_of(const std::string& text, const std::string& option) {
  wordexp_t found{};
  if (::wordexp(text.c_str(), &found, WRDE_NOCMD | WRDE_UNDEF) != 0)
    throw base::Error(base::Errc::usage, base::cat(option, ": '", base::printable(text, 60),
                                                   "', expected options of sbatch, quoted as for "
                                                   "a shell"));
  std::vector<std::string> words(found.we_wordv, found.we_wordv + found.we_wordc);
  ::wordfree(&found);
  return words;
}

std::string some_slurm_node() {
  std::istringstream nodes(rt::net::ask_slurm("sinfo", {"--noheader", "--Node", "--format=%N"}));
  const std::string own = base::host_name();
  for (std::string node; nodes >> node;) {
    if (node != own) return node;
  }
  return {};
}

SlurmArray::SlurmArray(const base::Path& study, const SlurmWish& wish,
                       const std::vector<std::string>& agent) {
  const base::Path log = NetFolder(study).path() / "slurm-%A_%a.log";
  std::vector<std::string> words{"--parsable",
                                 "--job-name=" + study.filename().string(),
                                 base::cat("--array=1-", wish.agents),
                                 "--nodes=1",
                                 "--requeue",
                                 "--open-mode=append",
                                 "--signal=B:USR1@60",
                                 "--output=" + log.string()};
  if (!says_how_much(wish.options)) words.emplace_back("--exclusive");
  words.insert(words.end(), wish.options.begin(), wish.options.end());
  std::string script = "#!/bin/sh\nexec";
  for (const std::string& word : agent) script += " " + base::shell_quoted(word);
  script += " --node \"$SLURMD_NODENAME.$SLURM_ARRAY_TASK_ID\"\n";
  const base::ProgramResult result = rt::net::run_slurm("sbatch", words, script);
  if (result.end != base::ProcessEnd::exited || result.status != 0)
    throw base::Error(base::Errc::usage, base::cat("--nodes: no job: ", last_line(result.errors)));
  // "17" or "17;cluster".
  job_ = result.output.substr(0, result.output.find_first_of(";\n"));
  watcher_ = std::jthread([this](const std::stop_token& over) { watch(over); });
}

SlurmArray::~SlurmArray() {
  watcher_ = {};
  (void)rt::net::ask_slurm("scancel", {job_});
}

void SlurmArray::watch(const std::stop_token& over) {
  for (int tenth = 0; !over.stop_requested(); tenth = (tenth + 1) % kLooks) {
    if (tenth == 0) {
      const std::string queue = rt::net::ask_slurm(
          "squeue", {"--noheader", "--array", "--job=" + job_, "--format=%T %r"});
      const std::scoped_lock lock(mutex_);
      said_ = queue.empty() ? "none is left" : summary(queue);
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
