#pragma once
// Programs of trials on an agent: each runs inside the body of a task, which waits for its end.

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/file.h"
#include "base/process/end.h"
#include "hpo/driver/programs/gpu_share.h"
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
};

/// How it ended. Encodable.
struct ProgramEnd {
  bool interrupted = false;  ///< its agent had to go: it did not fail, and is to run again
  bool starved = false;  ///< meanwhile that machine's kernel killed processes for want of memory
  base::ProcessEnd end = base::ProcessEnd::exited;
  std::int32_t status = 0;
  std::int64_t took = 0;       ///< nanoseconds
  std::uint64_t left_out = 0;  ///< bytes of output that its log does not hold
  std::uint64_t memory = 0;    ///< bytes, its largest process
};

/// What an agent says of a program while it runs (rt::Context::tell), a byte each.
enum class ProgramWord : char {
  begun = 'b',    ///< it was started, and found no checkpoint
  resumed = 'r',  ///< it was started, and found those of an earlier attempt
  more = 'm',     ///< there is more to read in its folder
};

/// Calls a trial's program on an agent, which finds its words in the study alone. A group that is
/// cancelled stops it as at the end of `limits`.
[[nodiscard]] rt::Value<ProgramEnd> call_program(ProgramCall call);

/// Runs the programs of a study's trials in this process, one for each body that asks for it.
/// Thread-safe. One a process.
class ProgramHost {
 public:
  /// `study` outlives this; `folder` is its folder, as this machine sees it. `leaving`: whether
  /// this process is to end soon, so that its programs have to.
  ProgramHost(const StudySpec& study, base::Path folder, std::function<bool()> leaving);
  ~ProgramHost();
  ProgramHost(const ProgramHost&) = delete;
  ProgramHost& operator=(const ProgramHost&) = delete;

  /// From its start to its end. Throws base::Error: study, storage; TrialFailure.
  [[nodiscard]] ProgramEnd run(const rt::Context& context, const ProgramCall& call);

  /// Returns the one that there is. Throws base::Error (usage) where there is none.
  [[nodiscard]] static ProgramHost& here();

 private:
  struct Program {
    bool more = false;  ///< to be read
    std::optional<tasks::SupervisorNews> over;
  };
  class Place;

  [[nodiscard]] tasks::SupervisorNews follow(std::uint64_t program, const rt::Context& context,
                                             const std::function<void()>& written,
                                             const std::function<bool()>& gone);
  void hear();
  void beat(const std::stop_token& over);

  const StudySpec& study_;
  base::Path folder_;
  std::function<bool()> leaving_;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable turn_;
  GpuShare gpus_;
  std::map<std::uint64_t, Program> programs_;
  std::uint64_t killed_for_memory_;
  tasks::Supervisors supervisors_;  ///< its end waits for all programs
  std::jthread beats_;
};

}  // namespace hpo
