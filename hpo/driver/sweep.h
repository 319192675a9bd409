#pragma once
// Running studies: the face of hpo/ for the command line.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "hpo/driver/observer.h"
#include "hpo/log/study_reader.h"
#include "hpo/study/spec.h"
#include "runtime/gpu_failure.h"
#include "tasks/member_use.h"

namespace rt::net {
struct Step;  // runtime/net/step.h
}

namespace hpo {

/// Who executes the tasks; `automatic` takes StarPU where it is there.
enum class Engine : std::uint8_t { automatic, sequential, starpu_cpu, starpu_cuda };

/// What a sweep asks of Slurm.
struct SlurmWish {
  int agents = 0;                         ///< a job each; 0: nothing
  std::vector<std::string> options = {};  ///< of sbatch, for each job
};

/// How to run; nothing in here but `retry_failed` changes a result.
struct RunOptions {
  base::Path folder;  ///< the study's folder, runs/<name>; made if missing
  base::Path
      store;        ///< results by key, shared by studies; empty: "store" beside the study's folder
  int workers = 0;  ///< CPU workers, of each agent where there are any; 0: one a core
  /// Of a sweep: machines that run the tasks, in place of this process: names for ssh, or
  /// "localhost" for a part of this machine's cores. Empty: no agents.
  std::vector<std::string> hosts = {};
  /// The step whose other tasks are agents, in place of hosts. Null: none.
  const rt::net::Step* step = nullptr;
  /// Agents that Slurm is asked for.
  SlurmWish slurm = {};
  bool hosted = false;  ///< others start agents, with tickets or in the study's folder
  /// The process that started this driver also starts the agents: when the driver stops, none of
  /// them waits for another one.
  bool attached = false;
  Engine engine = Engine::automatic;
  /// False: every trial computes its own work. Nothing is taken from the shared store or from
  /// another trial, so that the two can be compared; what a run needs to go on after a crash lies
  /// in its own folder.
  bool sharing = true;
  /// Of a training: processes that share its steps (tasks/gang.h), all on this host or, besides
  /// this one, on `hosts` in turn or as tasks of `step`; 1: this one alone.
  int members = 1;
  std::string members_asked = {};  ///< what the user gave to get them, for messages
  /// Whether the way to run a step is chosen (tasks/step_cost.h), with at most `members` of them.
  bool chooses = false;
  /// Whether it computes the shards of a batch one after another.
  bool serially = false;
  /// Stages of the network through which it sends them, each on a member if there are as many
  /// members; 1: none.
  int stages = 1;
  /// The arrivals of a training of replicas (nn/training/arrivals.h) that it repeats; empty: none.
  base::Path repeat;
  /// Told of a GPU that serves the program no more (rt::Config::gpu_failed). Null: the sweep ends.
  rt::OnGpuFailure gpu_failed = nullptr;
  base::Path graph_file;  ///< DOT graph; empty: none
  base::Path trace_file;  ///< Chrome trace; empty: none
  /// Number of times the user asked to stop; polled. 1: stop cleanly. Null: nobody can ask. After
  /// changing it call rt::wake(). `Interrupts` (hpo/driver/interrupt.h) is the source for Ctrl-C.
  const std::atomic<int>* interrupts = nullptr;
  /// Of a sweep: trials that failed by this cause in earlier sessions run again; `none`: by any.
  /// That is an event of the log.
  std::optional<Cause> retry_failed = {};
  /// After that long without a first agent, where others start them, a note says so.
  base::Duration first_agent = std::chrono::seconds(20);
  /// An event waits at most this long for others to share its commit, before it is announced: it
  /// costs as much as a short trial.
  base::Duration commit_delay = std::chrono::milliseconds(200);

  /// Whether agents run the tasks.
  [[nodiscard]] bool on_agents() const noexcept {
    return !hosts.empty() || step != nullptr || slurm.agents > 0 || hosted;
  }
};

/// How a sweep ended.
enum class Ending : std::uint8_t {
  done,            ///< there is a best trial
  nothing_usable,  ///< it ended and no trial has a value, or none of programs is complete (code 1)
  interrupted,     ///< stopped on request; the same call continues it (exit code 75)
};

struct SweepResult {
  Ending ending = Ending::done;
  std::optional<Finished> finished;  ///< why the study ended, where it did
  bool resumed = false;              ///< there was a log to continue
  TrialCounts counts;
  std::optional<TrialRow> best;  ///< with its test metrics when the network was written
  std::optional<ModelInfo> model;
  double seconds = 0;  ///< of this session
  WorkCounters work;

  [[nodiscard]] int exit_code() const noexcept;
};

/// Runs a study to its end, or continues it. Results depend on `study` alone (with `order:
/// virtual`, up to the first event that real time caused). Blocks; everything in it happens on the
/// calling thread but the tasks. At most one at a time in a process. Throws base::Error: locked
/// (another driver, named), storage (path and remedy), study (the study in the folder was made from
/// another file: says what differs), no_device. Whatever was announced to `observer` is on disk.
SweepResult run_sweep(const StudySpec& study, const RunOptions& options, Observer& observer);

/// What `train FILE` gives: one network.
struct TrainResult {
  Ending ending = Ending::done;
  std::string metric;              ///< name of the objective
  TrialRow trial;                  ///< its reports' last word, test metrics included
  std::int64_t epochs = 0;         ///< that it is trained for; `trial.epochs` are those that it was
  base::Path model;                ///< empty when it failed or was interrupted
  std::string shape;               ///< of the network at last: "784-64-10"
  std::uint64_t weights = 0;       ///< the same network's
  double inference_flops = 0;      ///< of its one row forward, counted
  std::vector<Adapted> rounds;     ///< what was tried where the network adapts, in order
  std::optional<Verdict> verdict;  ///< none when it failed or was interrupted
  std::optional<Calibrated> calibration;  ///< likewise, and if it predicts numbers
  double seconds = 0;
  std::vector<tasks::MemberUse> members;  ///< of its gang; empty: it had none
  bool staged = false;                    ///< each of them had a stage of the network
  tasks::GangChanges changes;             ///< of the gang
  base::Path arrivals;                    ///< the file that repeats it; empty: it repeats anyway

  [[nodiscard]] int exit_code() const noexcept;
};

/// Trains the one network that `params` (complete for the study's space) describe, without a log or
/// a search, and writes `folder`/model.safetensors. It reports where a trial of the study would. A
/// second call is answered by the store, as far as the first one came. Throws as run_sweep; locked:
/// another process trains into this folder; usage: a gang, or stages, cannot train that.
TrainResult train_once(const StudySpec& study, const Params& params, const RunOptions& options,
                       Observer& observer);

}  // namespace hpo
