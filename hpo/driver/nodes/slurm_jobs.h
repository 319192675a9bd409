#pragma once
// Jobs that a study submits to Slurm.

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "hpo/driver/sweep.h"

namespace hpo {

/// Words as a shell would split them. Throws base::Error (usage) that names `option` for a
/// quotation mark without its other one.
[[nodiscard]] std::vector<std::string> words_of(const std::string& text, const std::string& option);

/// A node of the cluster that this machine is not, or words where Slurm names none.
[[nodiscard]] std::string some_slurm_node();

/// Submits a script for the study in `study`, whose folder all nodes see, with `own` and then the
/// wish's options for sbatch. Returns the job's number. Throws base::Error (usage) with Slurm's
/// words where it refuses.
[[nodiscard]] std::string submit_job(const base::Path& study, const SlurmWish& wish,
                                     std::vector<std::string> own, const std::string& script);

/// How many jobs of that number wait or run; nothing where Slurm does not say.
[[nodiscard]] std::optional<int> jobs_left(const std::string& job);

/// Submits a job that runs `command`, the words of a sweep, in the current folder: it drives the
/// study, has an agent beside it and asks for those of `wish` but one. It is requeued where it is
/// preempted or its time ends, until the study is over, is asked to stop or makes no progress.
/// `first`: a word for its first start alone, or empty. Throws as submit_job; locked, where there
/// is such a job already.
[[nodiscard]] std::string submit_driver(const base::Path& study, const SlurmWish& wish,
                                        const std::string& command, const std::string& first = {});

/// The script of a job that runs an agent by the shell's words `command`.
[[nodiscard]] std::string agent_script(const std::string& command);

/// Whether this process is what a job runs that was submitted by one of these.
[[nodiscard]] bool is_submitted_driver();
[[nodiscard]] bool is_submitted_agent();
/// Whether the job that this process runs in has not been cancelled.
[[nodiscard]] bool job_goes_on();
/// Lets Slurm start that job again, unless it was cancelled. Without effect where Slurm refuses.
void requeue_this_job();

/// Whether Slurm can be asked for nodes here: its programs are there, and this is no job of it.
[[nodiscard]] bool may_ask_slurm();

}  // namespace hpo
