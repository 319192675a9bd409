#pragma once
// Programs of trials on an agent: each runs inside the body of a task, which waits for its end.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/process/end.h"
#include "hpo/driver/programs/gpu_share.h"
#include "hpo/driver/programs/trial_files.h"
#include "hpo/driver/programs/trial_folder.h"
#include "hpo/space/params.h"
#include "hpo/study/spec.h"
#include "runtime/context.h"
#include "runtime/value.h"
#include "tasks/supervised.h"

namespace hpo {

/// A trial's program, as its driver asks an agent for it. Encodable.
struct ProgramCall {
  std::uint64_t trial = 0;
  Params params;
  std::int64_t cpus = 1;
  /// Two starts of a program are never the same call: the driver's process, and the start in it.
  std::uint64_t driver = 0;
  std::uint64_t start = 0;
  bool has_checkpoints = false;  ///< those of an earlier attempt are in the driver's folder
  bool has_files = false;        ///< and come with the call
};

/// How it ended. Encodable.
struct ProgramEnd {
  bool interrupted = false;  ///< its agent had to go: it did not fail, and is to run again
  bool wants_files = false;  ///< likewise, with the checkpoints
  bool apart = false;        ///< its folder is on its agent alone, which gives what is in it
  bool starved = false;  ///< meanwhile that machine's kernel killed processes for want of memory
  base::ProcessEnd end = base::ProcessEnd::exited;
  std::int32_t status = 0;
  std::int64_t took = 0;       ///< nanoseconds
  std::uint64_t left_out = 0;  ///< bytes of output that its log does not hold
  std::uint64_t memory = 0;    ///< bytes, its largest process
};

/// Calls a trial's program on an agent, which finds its words in the study alone. A group that is
/// cancelled stops it as at the end of `limits`. `files`: checkpoints for an agent that does not
/// see the study's folder; `left` becomes what the program left there in its own.
[[nodiscard]] rt::Value<ProgramEnd> call_program(ProgramCall call,
                                                 const rt::Value<TrialFiles>& files,
                                                 rt::Value<TrialFiles>& left);

/// Runs the programs of a study's trials in this process, one for each body that asks for it.
/// Thread-safe. One a process.
class ProgramHost {
 public:
  /// `study` outlives this; `folder` is its folder, as this machine sees it, or one of this
  /// process's own (not `shared`). `leaving`: whether this process is to end soon, so that its
  /// programs have to.
  ProgramHost(const StudySpec& study, base::Path folder, bool shared,
              std::function<bool()> leaving);
  ~ProgramHost();
  ProgramHost(const ProgramHost&) = delete;
  ProgramHost& operator=(const ProgramHost&) = delete;

  /// From its start to its end. Throws base::Error: study, storage; TrialFailure.
  [[nodiscard]] ProgramEnd run(const rt::Context& context, const ProgramCall& call,
                               const TrialFiles& files, TrialFiles& left);

  /// Returns the one that there is. Throws base::Error (usage) where there is none.
  [[nodiscard]] static ProgramHost& here();

 private:
  struct Program {
    bool more = false;  ///< to be read
    std::optional<tasks::SupervisorNews> over;
  };
  class Place;
  class Turn;

  /// What is done for a program while it runs.
  struct Care {
    std::function<bool()> gone;                    ///< whether it has to go
    std::function<void(bool over)> written;        ///< it has written something, or has ended
    std::function<base::Duration()> now_and_then;  ///< returns when to be called again
  };

  [[nodiscard]] bool prepare(TrialFolder& folder, const ProgramCall& call, const TrialFiles& files,
                             const std::function<bool()>& gone);
  [[nodiscard]] tasks::SupervisorNews follow(std::uint64_t program, const Care& care);
  void hear();
  void beat(const std::stop_token& over);

  const StudySpec& study_;
  base::Path folder_;
  bool shared_;
  std::function<bool()> leaving_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable turn_;
  GpuShare gpus_;
  std::map<std::uint64_t, Program> programs_;
  std::set<std::uint64_t> trials_;  ///< that have a call here
  std::uint64_t killed_for_memory_;
  tasks::Supervisors supervisors_;  ///< its end waits for all programs
  std::jthread beats_;
};

}  // namespace hpo
