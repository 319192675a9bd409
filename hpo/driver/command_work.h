#pragma once
// What a trial does when it runs a program of the user: a folder, a supervisor, reports as they
// come, and an end that is told apart.

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hpo/driver/command_reports.h"
#include "hpo/driver/gpu_share.h"
#include "hpo/driver/places.h"
#include "hpo/driver/trial_work.h"
#include "hpo/study/command.h"
#include "hpo/study/spec.h"
#include "hpo/study/trial_spec.h"
#include "runtime/base/clock.h"
#include "runtime/value.h"
#include "tasks/supervised.h"

namespace hpo {

/// What a trial's program finds in its environment. `gpus`: for CUDA_VISIBLE_DEVICES; none leaves
/// it as it is.
[[nodiscard]] std::map<std::string, std::string> command_environment(
    const rt::Path& folder, const Resources& resources, const std::optional<std::string>& gpus);

class CommandWork final : public TrialWork {
 public:
  /// `study` outlives this and has its slots; `folder` is the study's. At most that many programs
  /// run at once.
  CommandWork(const StudySpec& study, rt::Path folder);

  [[nodiscard]] TrialFacts facts(const Params& params) override;
  /// Goes on behind the reports that the log has: what the program reports again is passed over.
  [[nodiscard]] rt::Async<void> run(TrialContext& trial) override;
  [[nodiscard]] rt::Async<ExportedModel> finish(TrialRow best, Lineage lineage) override;
  void turn() override;
  [[nodiscard]] bool can_wait() const override { return false; }
  [[nodiscard]] std::vector<std::string> last_lines(std::uint64_t trial) const override;

 private:
  /// One attempt of a trial, from its wait for a place to the end of its program.
  struct Attempt {
    std::uint64_t trial = 0;
    Resources resources;
    bool unwanted = false;               ///< nothing that it does counts any more
    std::optional<GpuShare::Part> gpus;  ///< it has a place
    std::uint64_t program = 0;           ///< 0: not started
    bool grown = false;                  ///< there may be reports
    std::optional<tasks::SupervisorNews> over;
    std::optional<rt::Promise<void>> waits;
    rt::Moment started{}, told{};

    /// Lets the coroutine go on.
    void stir();
  };
  using AttemptPtr = std::shared_ptr<Attempt>;

  static rt::Async<void> something(AttemptPtr attempt);
  rt::Async<void> place(AttemptPtr attempt);
  rt::Async<bool> hand_in(TrialContext& trial, AttemptPtr attempt, std::vector<Report> reports);
  rt::Async<void> follow(TrialContext& trial, AttemptPtr attempt, CommandReports& reports);
  rt::Async<void> end_early(AttemptPtr attempt);
  void start(const AttemptPtr& attempt, const TrialCommand& command, const TrialFolder& folder);
  void admit();
  [[nodiscard]] bool has_room(const AttemptPtr& attempt, const std::function<void()>& doing);
  void drop(const AttemptPtr& attempt);
  [[nodiscard]] Ended end_of(const Attempt& attempt);
  void require_reports(const CommandReports& reports) const;
  [[nodiscard]] Metrics measures_of(const Attempt& attempt) const;

  const StudySpec& study_;
  rt::Path folder_;
  GpuShare gpus_;
  std::deque<AttemptPtr> queue_;              ///< attempts that wait for a place, first come first
  std::map<std::uint64_t, AttemptPtr> runs_;  ///< by trial: those that have one
  std::map<std::uint64_t, AttemptPtr> programs_;
  Places places_;
  std::uint64_t killed_for_memory_;  ///< processes, by the kernel, when last looked at
  tasks::Supervisors supervisors_;   ///< last: its end waits for all programs
};

}  // namespace hpo
