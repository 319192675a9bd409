#include "runtime/net/slurm.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/executable.h"
#include "base/machine.h"
#include "base/text.h"

namespace rt::net {

base::ProgramResult run_slurm(const std::string& program, std::vector<std::string> words,
                              std::string input, double timeout) {
  const auto path = base::find_executable(program, "/");
  const auto env = base::find_executable("env", "/");
  if (!path || !env)
    throw base::Error(base::Errc::usage,
                      base::cat("'", program, "' is not here: this machine has no Slurm"));
  base::Program asked{
      .command = {*env}, .folder = "/", .input = std::move(input), .timeout = timeout};
  // A job that is submitted from within a job would take over what that one was given.
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view name =
        std::string_view(*variable).substr(0, std::string_view(*variable).find('='));
    if (!name.starts_with("SLURM_") || name == "SLURM_CONF" || name == "SLURM_CLUSTERS") continue;
    asked.command.emplace_back("-u");
    asked.command.emplace_back(name);
  }
  asked.command.push_back(*path);
  for (std::string& word : words) asked.command.push_back(std::move(word));
  return base::run_program(asked);
}

std::optional<std::string> ask_slurm(const std::string& program, std::vector<std::string> words) {
  try {
    base::ProgramResult result = run_slurm(program, std::move(words));
    if (result.end == base::ProcessEnd::exited && result.status == 0)
      return std::move(result.output);
  } catch (const base::Error&) {
    return std::nullopt;
  }
  return std::nullopt;
}

namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::optional<std::int64_t> number(const char* name) { return base::parse_int(variable(name)); }

std::string another_node(const std::string& own) {
  const auto listed = ask_slurm("scontrol", {"show", "hostnames", variable("SLURM_STEP_NODELIST")});
  std::istringstream hosts(listed.value_or(""));
  for (std::string host; hosts >> host;) {
    if (host != own) return host;
  }
  return number("SLURM_STEP_NUM_NODES").value_or(1) > 1 ? "another node" : "";
}

}  // namespace

std::optional<Step> slurm_step() {
  const auto rank = number("SLURM_PROCID");
  const auto tasks = number("SLURM_STEP_NUM_TASKS");
  const std::string job = variable("SLURM_JOB_ID");
  if (!rank || tasks.value_or(1) < 2 || job.empty()) return {};
  const std::string restarts = variable("SLURM_RESTART_COUNT");
  Step step;
  step.id = base::cat(job, ".", variable("SLURM_STEP_ID"), restarts.empty() ? "" : ".", restarts);
  step.rank = static_cast<int>(*rank);
  step.tasks = static_cast<int>(*tasks);
  const std::string node = variable("SLURMD_NODENAME");
  const std::int64_t local = number("SLURM_LOCALID").value_or(0);
  step.node = base::cat(node.empty() ? base::host_name() : node,
                        local > 0 ? base::cat("-", local + 1) : std::string());
  if (step.rank == 0) step.peer = another_node(node);
  // Slurm may leave all tasks of a machine all of its cores.
  const std::int64_t nodes = std::max<std::int64_t>(1, number("SLURM_STEP_NUM_NODES").value_or(1));
  if (is_bound()) return step;
  step.parts = static_cast<int>((*tasks + nodes - 1) / nodes);
  step.part = static_cast<int>(std::min<std::int64_t>(local + 1, step.parts));
  return step;
}

int slurm_cores() {
  const auto own = number("SLURM_CPUS_PER_TASK");
  return static_cast<int>(std::clamp<std::int64_t>(own.value_or(0), 0, 4096));
}

namespace {

/// In seconds since 1970.
std::optional<std::int64_t> end_of_job() {
  const std::string job = variable("SLURM_JOB_ID");
  if (job.empty()) return {};
  if (const auto told = number("SLURM_JOB_END_TIME")) return told;
  const std::string said = ask_slurm("scontrol", {"show", "job", job, "--oneliner"}).value_or("");
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
  static std::mutex mutex;
  static std::optional<std::int64_t> end = end_of_job();
  static bool sure = false;
  constexpr std::int64_t kSoon = 60;
  const std::scoped_lock lock(mutex);
  const auto soon = [] { return end && base::wall_micros() / 1'000'000 > *end - kSoon; };
  if (sure || !soon()) return sure;
  end = end_of_job();
  sure = soon();
  return sure;
}

}  // namespace rt::net
