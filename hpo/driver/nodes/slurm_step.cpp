#include "hpo/driver/nodes/slurm_step.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <system_error>

#include "base/clock.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "hpo/driver/nodes/net_folder.h"
#include "hpo/driver/nodes/slurm_ask.h"

namespace hpo {

namespace {

constexpr double kMostWaiting = 120;  ///< seconds for the driver to begin
constexpr double kMostEnding = 10;    ///< and to end, once it has sent its agents away
constexpr int kRunning = -1;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<std::int64_t> number(const char* name) { return base::parse_int(variable(name)); }

std::string another_node(const std::string& own) {
  std::istringstream hosts(
      ask_slurm("scontrol", {"show", "hostnames", variable("SLURM_STEP_NODELIST")}));
  for (std::string host; hosts >> host;) {
    if (host != own) return host;
  }
  return {};
}

/// Whether Slurm gave this task cores of its own.
bool is_bound() {
  cpu_set_t own;
  CPU_ZERO(&own);
  return ::sched_getaffinity(0, sizeof own, &own) == 0 &&
         CPU_COUNT(&own) < ::sysconf(_SC_NPROCESSORS_ONLN);
}

}  // namespace

std::optional<SlurmStep> slurm_step() {
  const auto rank = number("SLURM_PROCID");
  const auto tasks = number("SLURM_STEP_NUM_TASKS");
  const std::string job = variable("SLURM_JOB_ID");
  if (!rank || tasks.value_or(1) < 2 || job.empty()) return {};
  const std::string restarts = variable("SLURM_RESTART_COUNT");
  SlurmStep step;
  step.id = base::cat(job, ".", variable("SLURM_STEP_ID"), restarts.empty() ? "" : ".", restarts);
  step.rank = static_cast<int>(*rank);
  const std::string node = variable("SLURMD_NODENAME");
  const std::int64_t local = number("SLURM_LOCALID").value_or(0);
  step.node = base::cat(node.empty() ? base::host_name() : node,
                        local > 0 ? base::cat("-", local + 1) : std::string());
  step.peer = another_node(node);
  // Slurm may leave all tasks of a machine all of its cores.
  const std::int64_t nodes = std::max<std::int64_t>(1, number("SLURM_STEP_NUM_NODES").value_or(1));
  if (is_bound()) return step;
  step.parts = static_cast<int>((*tasks + nodes - 1) / nodes);
  step.part = static_cast<int>(std::min<std::int64_t>(local + 1, step.parts));
  return step;
}

namespace {

/// In seconds since 1970.
std::optional<std::int64_t> end_of_job() {
  const std::string job = variable("SLURM_JOB_ID");
  if (job.empty()) return {};
  if (const auto told = number("SLURM_JOB_END_TIME")) return told;
  const std::string said = ask_slurm("scontrol", {"show", "job", job, "--oneliner"});
  constexpr std::string_view kEnd = " EndTime=";
  const std::size_t at = said.find(kEnd);
  if (at == said.npos) return {};
  std::tm time{};
  time.tm_isdst = -1;
  const char* const begin = said.c_str() + at + kEnd.size();
  if (::strptime(begin, "%Y-%m-%dT%H:%M:%S", &time) == nullptr) return {};  // "Unknown"
  return std::mktime(&time);
}

}  // namespace

bool job_ends_soon() {
  static const std::optional<std::int64_t> end = end_of_job();
  constexpr std::int64_t kSoon = 60;
  return end && base::wall_micros() / 1'000'000 > *end - kSoon;
}

StepNews::StepNews(const base::Path& study, const SlurmStep& step)
    : file_(NetFolder(study).path() / base::cat("step-", step.id)) {}

void StepNews::begun() const {
  // Those of earlier steps tell nobody anything.
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(file_.parent_path(), ignored)) {
    if (entry.path().filename().string().starts_with("step-"))
      std::filesystem::remove(entry.path(), ignored);
  }
  base::write_file_atomic(file_, "running\n", base::Durability::cached);
}

void StepNews::ended(int code) const noexcept {
  try {
    base::write_file_atomic(file_, base::cat("ended ", code, "\n"), base::Durability::cached);
  } catch (const std::exception&) {
    // The other tasks end without it, if later.
  }
}

std::optional<int> StepNews::code() const {
  try {
    const std::string text = base::read_file(file_, 64);
    const std::size_t blank = text.find(' ');
    if (blank == text.npos) return kRunning;
    return static_cast<int>(base::parse_int(text.substr(blank + 1, text.size() - blank - 2))
                                .value_or(base::exit_code(base::Errc::internal)));
  } catch (const base::Error&) {
    return {};
  }
}

int work_in_step(const SlurmStep& step, AgentOptions options) {
  const StepNews news(options.folder, step);
  const base::Moment begun = base::now();
  std::optional<int> code;
  while (!(code = news.code())) {
    if (base::seconds_since(begun) > kMostWaiting)
      throw base::Error(base::Errc::cancelled,
                        base::cat(options.folder.string(), ": its driver is not there after ",
                                  kMostWaiting, " s: does ", step.node, " see that folder?"));
    base::sleep_for(std::chrono::milliseconds(50));
  }
  if (code != kRunning) return *code;
  options.node = step.node;
  options.part = step.part;
  options.parts = step.parts;
  const int own = run_agent(options);
  if (own != 0) return own;
  const base::Moment left = base::now();
  while (news.code().value_or(kRunning) == kRunning && base::seconds_since(left) < kMostEnding)
    base::sleep_for(std::chrono::milliseconds(50));
  code = news.code();
  return code.value_or(kRunning) == kRunning ? own : *code;
}

}  // namespace hpo
