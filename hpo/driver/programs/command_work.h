#pragma once
// What a trial does when it runs a program of the user: a folder, a supervisor, reports as they
// come, and an end that is told apart.

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "hpo/driver/programs/command_reports.h"
#include "hpo/driver/programs/gpu_share.h"
#include "hpo/driver/programs/late_reports.h"
#include "hpo/driver/programs/long_log.h"
#include "hpo/driver/programs/places.h"
#include "hpo/driver/programs/program_host.h"
#include "hpo/driver/programs/trial_copy.h"
#include "hpo/driver/programs/trial_files.h"
#include "hpo/driver/programs/wandb_runs.h"
#include "hpo/driver/trial_work.h"
#include "hpo/study/command.h"
#include "hpo/study/spec.h"
#include "hpo/study/trial_spec.h"
#include "runtime/group.h"
#include "runtime/listener.h"
#include "runtime/value.h"
#include "tasks/supervised.h"

namespace hpo {

class CommandWork final : public TrialWork {
 public:
  /// `study` outlives this and has its slots; `folder` is the study's. At most that many programs
  /// run at once: on the agents of the rt::Runtime (ProgramHost), or here.
  CommandWork(const StudySpec& study, base::Path folder, bool on_agents);

  [[nodiscard]] TrialFacts facts(const Params& params) override;
  /// Starts the program and continues after the logged reports: what it reports again is skipped.
  [[nodiscard]] rt::Async<void> run(TrialContext& trial) override;
  [[nodiscard]] rt::Async<ExportedModel> finish(TrialRow best, Lineage lineage,
                                                const TrialTable& trials) override;
  void turn() override;
  [[nodiscard]] bool can_wait() const override { return false; }
  [[nodiscard]] std::vector<std::string> last_lines(std::uint64_t trial) const override;

 private:
  /// A report, and how long the program took for it.
  struct Told {
    Report report;
    double seconds = 0;
  };
  /// One attempt of a trial, from its wait for a place to the end of its program.
  struct Attempt {
    Attempt(std::uint64_t number, Params given, TrialResources needs, CommandReports begun,
            LongLog kept)
        : trial(number),
          params(std::move(given)),
          resources(std::move(needs)),
          reports(std::move(begun)),
          log(kept) {}

    std::uint64_t trial;
    Params params;
    TrialResources resources;
    CommandReports reports;
    bool unwanted = false;                     ///< nothing that it does counts any more
    std::optional<GpuShare::Allocation> gpus;  ///< it has a place: no program without one
    std::uint64_t program = 0;                 ///< 0: not started here
    std::optional<rt::Group> call;             ///< of its program on an agent, until its end
    std::optional<rt::Listener> listener;      ///< likewise
    std::optional<TrialReceiver> receiver;     ///< likewise, of what that agent tells
    bool copied = false;                ///< checkpoints came that the call did not bring along
    bool interrupted = false;           ///< its agent had to go: the program is to run again
    bool starved = false;               ///< as the program ended, its machine lacked memory
    std::optional<TrialFolder> folder;  ///< until all that the program did was read
    std::optional<WandbRuns> runs;      ///< of its library, read here
    LongLog log;                        ///< where its lines are reports
    std::deque<Told> told;              ///< read, and not handed in yet
    std::exception_ptr failure;         ///< what was wrong behind them
    std::optional<tasks::SupervisorNews> over;
    std::optional<rt::Promise<void>> waits;
    base::Moment looked{};  ///< when reports were read last
    double untold = 0;      ///< seconds before then that came with no report
    LateReports late;

    /// Lets the coroutine go on.
    void stir();
    /// What the program has reported by now.
    void read();
  };
  using AttemptPtr = std::shared_ptr<Attempt>;
  /// The end of a program that may be the stop of the whole job, and until when it waits.
  struct Unjudged {
    tasks::ProgramNews news;
    base::Moment due;
  };

  static rt::Async<void> something(AttemptPtr attempt);
  rt::Async<void> place(AttemptPtr attempt);
  rt::Async<void> find_folder(TrialContext& trial, AttemptPtr attempt);
  rt::Async<bool> catch_up(TrialContext& trial, AttemptPtr attempt);
  rt::Async<bool> hand_in(TrialContext& trial, AttemptPtr attempt);
  rt::Async<bool> run_program(TrialContext& trial, AttemptPtr attempt, const TrialCommand& command);
  rt::Async<bool> follow(TrialContext& trial, AttemptPtr attempt);
  rt::Async<void> end_early(AttemptPtr attempt);
  void start(const AttemptPtr& attempt, const TrialCommand& command);
  void start_on_agent(const AttemptPtr& attempt);
  rt::Async<void> await_end(AttemptPtr attempt, rt::Value<ProgramEnd> value,
                            rt::Value<TrialFiles> left);
  void stop(Attempt& attempt);
  void hear(const tasks::ProgramNews& news);
  void hear(const AttemptPtr& attempt, const tasks::SupervisorNews& news);
  void hear(const AttemptPtr& attempt, ProgramWord word, std::string_view bytes);
  static void take_files(const Attempt& attempt, const TrialFiles& left);
  void say_late(const Attempt& attempt);
  void begin_again(const AttemptPtr& attempt, bool with_checkpoints);
  void admit();
  [[nodiscard]] bool has_room(const AttemptPtr& attempt, const std::function<void()>& doing);
  void give_place_back(const AttemptPtr& attempt);
  [[nodiscard]] Ended end_of(const Attempt& attempt, const std::string& path) const;

  const StudySpec& study_;
  base::Path folder_;
  bool on_agents_;
  bool files_travel_ = false;  ///< an agent does not see the folder
  std::uint64_t driver_;       ///< names this process among the drivers of the study
  std::uint64_t starts_ = 0;   ///< of programs on agents
  bool said_late_ = false;     ///< that reports came too late for the rule
  GpuShare gpus_;
  std::deque<AttemptPtr> queue_;              ///< attempts that wait for a place, first come first
  std::map<std::uint64_t, AttemptPtr> runs_;  ///< by trial: those that have a place
  std::map<std::uint64_t, AttemptPtr> programs_;
  std::deque<Unjudged> unjudged_;  ///< in the order in which they are due
  Places places_;
  std::uint64_t killed_for_memory_;  ///< processes, by the kernel, when last looked at
  tasks::Supervisors supervisors_;   ///< last: its end waits for all programs
};

}  // namespace hpo
