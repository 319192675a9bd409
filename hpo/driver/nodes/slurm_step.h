#pragma once
// A study in a step of a Slurm job: `srun -N 8 --no-kill trellis sweep FILE`. Its first task is the
// driver, the others are agents.

#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "base/file.h"
#include "hpo/driver/nodes/agent.h"
#include "hpo/driver/nodes/net_folder.h"
#include "runtime/net/step.h"

namespace hpo {

/// How the driver of a step fares, for its other tasks: a file in the study's `net/`.
class StepNews {
 public:
  StepNews(const base::Path& study, const rt::net::Step& step);

  /// From here on the others know that the driver is on its way, until this object goes or the
  /// driver has begun: reading its data may take long. Throws base::Error (storage).
  void prepare();
  /// The driver takes agents in. Throws base::Error (storage).
  void begun() const;
  /// It has ended, or cannot begin, with that exit code. Without effect where nothing can be
  /// written.
  void ended(int code) const noexcept;

  /// Nothing before it has begun; -1 while it runs; then its exit code.
  [[nodiscard]] std::optional<int> code() const;
  /// Another text every few seconds while it prepares.
  [[nodiscard]] std::string sign() const;

 private:
  NetFolder folder_;
  base::Path file_, sign_;
  std::jthread preparing_;
};

/// What the first task of a step does, `work`, which returns an exit code: the others hear that it
/// prepares and how it ended. Throws base::Error (storage), and as `work` does.
[[nodiscard]] int lead_step(const rt::net::Step& step, const base::Path& folder,
                            const std::function<int()>& work);

/// What a task does that is not the driver: it waits for that one, and does `work`, which asks now
/// and then whether the driver has ended. Returns the exit code of the driver, where it hears of
/// it, so that Slurm's is the study's; 75 where there was no sign of a driver for two minutes.
/// Throws as `work` does.
[[nodiscard]] int work_in_step(const rt::net::Step& step, const base::Path& folder,
                               const std::function<int(const std::function<bool()>& ended)>& work);
/// The same for an agent.
[[nodiscard]] int work_in_step(const rt::net::Step& step, AgentOptions options);

}  // namespace hpo
