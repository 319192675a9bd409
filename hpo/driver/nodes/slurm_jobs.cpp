#include "hpo/driver/nodes/slurm_jobs.h"

#include <wordexp.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/executable.h"
#include "base/machine.h"
#include "base/shell.h"
#include "base/text.h"
#include "hpo/driver/nodes/net_folder.h"
#include "hpo/log/stop_driver.h"
#include "runtime/net/slurm.h"

namespace hpo {

namespace {

/// A job without options of its own gets a whole node, as an agent that ssh starts does.
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

/// Runs `command` with one more variable, behind the lines `before`. As a step of its own: what
/// Slurm sends to a job that has to go, it sends to its steps alone.
std::string job_script(const std::string& variable, const std::string& command,
                       const std::string& before = {}) {
  const std::string srun = base::shell_quoted(base::find_executable("srun", "/").value_or("srun"));
  return base::cat("#!/bin/sh\n", before, "exec ", srun,
                   " --nodes=1 --ntasks=1 --cpu-bind=none env ", variable, " ", command, "\n");
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
  const auto listed = rt::net::ask_slurm("sinfo", {"--noheader", "--Node", "--format=%N"});
  std::istringstream nodes(listed.value_or(""));
  const std::string own = base::host_name();
  for (std::string node; nodes >> node;) {
    if (node != own) return node;
  }
  return "a node of Slurm";
}

std::string submit_job(const base::Path& study, const SlurmWish& wish, std::vector<std::string> own,
                       const std::string& script) {
  for (const std::string& option : wish.options) {
    if (option.starts_with("-M") || option.starts_with("--cluster"))
      throw base::Error(base::Errc::usage,
                        base::cat("--slurm: '", base::printable(option, 60),
                                  "' names a cluster, but jobs can run only on this machine's"));
  }
  std::vector<std::string> words = std::move(own);
  words.push_back("--job-name=" + study.filename().string());
  if (!says_how_much(wish.options)) words.emplace_back("--exclusive");
  words.insert(words.end(), wish.options.begin(), wish.options.end());
  for (const char* word : {"--parsable", "--nodes=1", "--requeue", "--open-mode=append"})
    words.emplace_back(word);
  constexpr double kPatience = 60;  // of a busy controller
  const base::ProgramResult result = rt::net::run_slurm("sbatch", words, script, kPatience);
  if (result.end == base::ProcessEnd::timed_out)
    throw base::Error(base::Errc::usage,
                      base::cat("--nodes: sbatch has not answered in ", kPatience,
                                " s: see with squeue whether there is a job, and cancel it"));
  if (result.end != base::ProcessEnd::exited || result.status != 0)
    throw base::Error(base::Errc::usage, base::cat("--nodes: no job: ", last_line(result.errors)));
  // "17", perhaps among words of the site's own.
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    if (base::parse_int(line)) return line;
  }
  throw base::Error(base::Errc::usage,
                    base::cat("--nodes: sbatch said '", last_line(result.output),
                              "', expected the number of a job on this cluster"));
}

std::optional<int> jobs_left(const std::string& job) {
  // Of a job that is long over Slurm knows nothing, which is an error.
  const base::ProgramResult asked = rt::net::run_slurm(
      "squeue", {"--noheader", "--array", "--states=PENDING,RUNNING,SUSPENDED,CONFIGURING",
                 "--job=" + job, "--format=%i"});
  if (asked.end != base::ProcessEnd::exited) return std::nullopt;
  if (asked.status != 0)
    return asked.errors.find("Invalid job id") != asked.errors.npos ? std::optional(0)
                                                                    : std::nullopt;
  return static_cast<int>(std::ranges::count(asked.output, '\n'));
}

namespace {

constexpr const char* kAsDriver = "TRELLIS_SUBMITTED=driver";
constexpr const char* kAsAgent = "TRELLIS_SUBMITTED=agent";

std::string submitted_as() {
  const char* const value = std::getenv("TRELLIS_SUBMITTED");
  return base::cat("TRELLIS_SUBMITTED=", value != nullptr ? value : "");
}

/// What Slurm calls the job that this process runs in. An element of an array may have the number
/// of the whole array besides.
std::string this_job() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  const std::string array = variable("SLURM_ARRAY_JOB_ID");
  return array.empty() ? variable("SLURM_JOB_ID")
                       : base::cat(array, "_", variable("SLURM_ARRAY_TASK_ID"));
}

}  // namespace

std::string agent_script(const std::string& command) { return job_script(kAsAgent, command); }

std::string submit_driver(const base::Path& study, const SlurmWish& wish,
                          const std::string& command, const std::string& first) {
  const NetFolder folder(study);
  folder.make();
  if (const auto before = submitted_driver(study); before && jobs_left(*before) != 0)
    throw base::Error(base::Errc::locked,
                      base::cat(study.string(), " is in use by job ", *before, " of Slurm"));
  std::string words = command + " --hosts localhost";
  if (wish.agents > 1) {
    words += base::cat(" --nodes slurm:", wish.agents - 1);
    std::string options;
    for (const std::string& option : wish.options)
      options += (options.empty() ? "" : " ") + base::shell_quoted(option);
    if (!options.empty()) words += " --slurm " + base::shell_quoted(options);
  }
  const std::string before =
      first.empty() ? ""
                    : base::cat("set --\n[ \"${SLURM_RESTART_COUNT:-0}\" -gt 0 ] || set -- ",
                                base::shell_quoted(first), "\n");
  base::remove_file(stop_wish(study));
  std::string job =
      submit_job(study, wish,
                 {"--chdir=" + std::filesystem::current_path().string(),
                  "--output=" + (folder.path() / "driver-%j.log").string()},
                 job_script(kAsDriver, words + (first.empty() ? "" : " \"$@\""), before));
  note_submitted_driver(study, job);
  return job;
}

bool is_submitted_driver() { return submitted_as() == kAsDriver; }
bool is_submitted_agent() { return submitted_as() == kAsAgent; }

bool job_goes_on() {
  const auto said = rt::net::ask_slurm("scontrol", {"show", "job", this_job(), "--oneliner"});
  return said && said->find("JobState=RUNNING") != said->npos;
}

void requeue_this_job() {
  if (job_goes_on()) (void)rt::net::ask_slurm("scontrol", {"requeue", this_job()});
}

bool may_ask_slurm() {
  return std::getenv("SLURM_JOB_ID") == nullptr && base::find_executable("sbatch", "/").has_value();
}

}  // namespace hpo
