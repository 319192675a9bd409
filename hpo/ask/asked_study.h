#pragma once
// A study whose trials are run by others: they ask for one, may report on the way, and tell what
// came of it. The adapter between them and the study's machine (hpo/search/study_machine.h).

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "hpo/ask/first_points.h"
#include "hpo/ask/sampler_thread.h"
#include "hpo/ask/told.h"
#include "hpo/log/event_log.h"
#include "hpo/search/study_machine.h"
#include "hpo/study/spec.h"

namespace hpo {

/// A trial that was handed out, or why none was.
struct Handout {
  std::optional<std::uint64_t> trial;
  Params params;
  std::string over;  ///< without a trial: why the study is over, one line for people
};

/// How a trial stands after it was told about.
struct Standing {
  TrialState state = TrialState::running;
  std::optional<double> value;
};

/// Nothing counts before `commit` returned. Whoever got no answer may say the same again: an asking
/// by its ticket, a report by its step, an end by what it says. Not thread-safe.
class AskedStudy {
 public:
  /// `log` (begun, not replayed) outlives it. Replays it.
  AskedStudy(const StudySpec& study, EventLog& log, const std::vector<Changed>& changes);

  /// The next trial. `ticket` names the asking: as long as its trial runs, the same ticket gives
  /// the same trial. Empty: the asking is never repeated.
  /// `own`: values that it is to have, the sampler says the rest. Throws base::Error (usage) where
  /// no point of the space has them.
  [[nodiscard]] Handout ask(const std::string& ticket, const Params& own = {});

  /// Whether ask() would wait for a proposal.
  [[nodiscard]] bool waits(const std::string& ticket) const;
  /// Begins with the next proposal beside everything else, where a trial has ended since the last
  /// one, which somebody asks behind, or somebody is `waiting` for it.
  void prepare(bool waiting);
  /// Readable when what somebody waits for may be there.
  [[nodiscard]] int fd() const { return sampler_->fd(); }

  /// `own` is for a trial that is asked for later: each such asking gets one, in order. Returns why
  /// the study is over, where it is; else nothing, and then it counts once for each ticket. Throws
  /// as `ask`.
  [[nodiscard]] std::optional<std::string> enqueue(const Params& own, const std::string& ticket);
  /// Points that wait to be asked for.
  [[nodiscard]] std::size_t waiting() const { return first_points_.waiting(machine_.created()); }

  /// A report on the way, with its step. The decision is `stop` where the trial has ended. Throws
  /// base::Error (usage) for a trial that is not there, a step that is not beyond the last one, or
  /// a metric that is missing.
  [[nodiscard]] Decision report(std::uint64_t trial, const Told& told);

  /// The end of a trial. Without a value the last report's counts. A trial that was stopped by its
  /// rule or its time stays so. Throws base::Error (usage) as above, and for a trial that was told
  /// otherwise before.
  [[nodiscard]] Standing tell(std::uint64_t trial, const Told& told);

  /// Fails trials that are out for longer than limits.trial_time.
  void end_late_trials();
  /// Seconds until there is one; none where there is no such limit, or nobody runs.
  [[nodiscard]] std::optional<double> next_late() const;

  /// Whether something waits for a commit.
  [[nodiscard]] bool pending() const { return log_.pending() > 0 || enqueued_; }
  /// What was told about ends survives a power cut from here on. The rest survives the death of
  /// this process; of a machine that loses its power nobody is left who was answered.
  void commit();

  [[nodiscard]] const StudySpec& study() const { return study_; }
  /// Trials that were handed out and have not ended.
  [[nodiscard]] std::size_t open() const { return open_.size(); }

 private:
  struct Open {
    std::int64_t step = 0;  ///< of the last report
    bool reported = false;
    Latest known;
    std::string ticket;
    base::Moment since;  ///< handed out, by this process or one before it
    base::Moment heard;
    std::int64_t began = 0;  ///< handed out, see Real
  };

  void remember(const Event& event);
  [[nodiscard]] const TrialRow& row(std::uint64_t trial) const;
  [[nodiscard]] bool says_the_same(std::uint64_t trial, const Told& told) const;
  /// `last`: the trial ends with it, so that no rule stops it any more. Said without a step it is
  /// no report at one, and no rule compares others with it.
  Decision take_report(std::uint64_t trial, std::int64_t step, double value, const Told& told,
                       bool last = false);
  /// `at_once`: at one moment with the report before it, which is the value that was told and none
  /// on the way.
  void end(std::uint64_t trial, const Ended& end, bool at_once = false);
  void finish_if_over();
  /// The next trial; with `own` one that has those values. Nothing where the study is over.
  [[nodiscard]] std::optional<Created> next(const Params& own);
  [[nodiscard]] std::optional<Created> next();
  /// An event happens: machine and log take it.
  void emit(std::optional<std::uint64_t> trial, EventBody event, const Real& real = {});
  static Real real(Open& open);

  StudySpec study_;
  EventLog& log_;
  FirstPoints first_points_;
  ToldRules rules_;
  SamplerThread* sampler_ = nullptr;  ///< the machine's
  StudyMachine machine_;
  std::map<std::uint64_t, Open> open_;
  std::map<std::string, std::uint64_t> tickets_;  ///< of open trials
  std::map<std::uint64_t, Latest> last_told_;     ///< of trials that ended
  bool ended_ = false;                            ///< a trial, since the last commit
  bool news_ = false;                             ///< a trial ended since something was prepared
  bool enqueued_ = false;                         ///< a point, since the last commit
  double now_ = 0;                                ///< virtual time: counts what was told
  base::Moment started_;
  double seconds_before_ = 0;
};

}  // namespace hpo
