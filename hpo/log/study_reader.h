#pragma once
// Reading a study, for the verbs that only look. Works beside a running driver (which it never
// blocks), on finished studies and on read-only folders. Opening costs about a millisecond; nothing
// is replayed.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "hpo/log/baseline_rows.h"
#include "hpo/log/calibration.h"
#include "hpo/log/changes.h"
#include "hpo/log/course.h"
#include "hpo/log/event.h"
#include "hpo/log/node_info.h"
#include "hpo/log/score_interval.h"
#include "hpo/log/session_use.h"
#include "hpo/log/trial_row.h"
#include "hpo/log/trial_table.h"
#include "hpo/log/verdict.h"
#include "hpo/log/worker_info.h"

namespace hpo {

/// Fact of a study whose trials are run by whoever asks for them: they go on without a driver.
inline constexpr const char* kAskedFact = "asked";

/// Fact of a study whose trials run outside of us: they count steps, not epochs.
inline constexpr const char* kStepsFact = "steps";

/// Fact of a study that nothing but limits.time ends.
inline constexpr const char* kByTimeFact = "by_time";

/// Where a study stands. `running`: a driver is alive; `interrupted`: none is, and there is work
/// left; `finished`: it reached a limit or the end of its space; `failed`: it was stopped by
/// failures (see `reason`).
enum class StudyState : std::uint8_t { running, interrupted, finished, failed };
[[nodiscard]] std::string_view name_of(StudyState state) noexcept;

/// The facts of a study that do not change while it runs, and how it stands.
struct StudyInfo {
  std::string name;
  std::string metric;  ///< name of the objective
  bool maximize = false;
  bool programs = false;  ///< its trials run outside of us: they count steps, not epochs
  bool asked = false;     ///< its trials are run by whoever asks for them: a keeper drives it
  StudyState state = StudyState::interrupted;
  std::string reason;            ///< why it ended, one line for people; empty while it has not
  bool cut_off = false;          ///< by limits.time
  std::int64_t trial_limit = 0;  ///< limits.trials; 0: none
  double active_seconds = 0;     ///< real time that drivers spent on it, all sessions together
  std::string created;           ///< wall clock, for display only
};

/// The best trial's network on disk.
struct ModelInfo {
  base::Path file;
  std::uint64_t trial = 0;
};

/// What the runtime did for the study so far (this and all earlier sessions).
struct WorkCounters {
  std::int64_t tasks = 0;
  std::int64_t epochs = 0;           ///< trained for trials, whether run or answered by the store
  std::int64_t distinct_epochs = 0;  ///< really run
  std::int64_t datasets_loaded = 0;
  double overhead_us_per_task = 0;
  double tree_seconds = 0;  ///< for which trees were fitted; 0 in a log of an older build
  /// Times that an agent's worker joined the training of another agent, and seconds for which these
  /// workers computed; 0 in a log of an older build.
  std::int64_t visitors = 0;
  double visitor_seconds = 0;
};

/// Who holds a study.
struct DriverInfo {
  std::string host;
  std::int64_t pid = 0;
  std::string since;  ///< wall clock, for display only
  std::int64_t epoch = 0;
};

/// One event of the log as it is stored.
struct EventRow {
  std::int64_t seq = 0, epoch = 0;
  double vtime = 0;                    ///< virtual time, in counted FLOPs
  std::optional<std::uint64_t> trial;  ///< none: about the study
  std::string kind;
  EventBody body;
  std::string wall;  ///< for display only

  /// The body as a JSON object.
  [[nodiscard]] std::string payload() const { return payload_of(body); }
};

/// A study opened for reading. Every call sees one consistent state of the log, at least as new as
/// the call before. Not thread-safe. All functions throw base::Error (storage) when the file is
/// missing, damaged, or of a newer format.
class StudyReader {
 public:
  /// `folder` is the study's folder, runs/<name>.
  explicit StudyReader(const base::Path& folder);
  ~StudyReader();
  StudyReader(StudyReader&&) noexcept;
  StudyReader& operator=(StudyReader&&) noexcept;

  [[nodiscard]] const base::Path& folder() const;
  [[nodiscard]] StudyInfo info() const;
  [[nodiscard]] TrialCounts counts() const;

  /// The best trial, or of a study that goes on what it would be now (choice_now): a complete one,
  /// when none is complete a stopped one, else, but for asked studies, by what others reported; the
  /// best report of all where time cut the study off, or nothing else will end it.
  /// NaN is never best, nor is a trial that breaks a bound while there is one that breaks none.
  [[nodiscard]] std::optional<TrialRow> best() const;
  /// How its reports become values.
  [[nodiscard]] Objective objective() const;
  /// All trials in trial order.
  [[nodiscard]] std::vector<TrialRow> trials() const;
  [[nodiscard]] std::optional<TrialRow> trial(std::uint64_t number) const;
  /// Names of all parameters of the space in its order, also those that no trial used.
  [[nodiscard]] std::vector<std::string> parameter_names() const;

  /// The log in order; of one trial when given.
  [[nodiscard]] std::vector<EventRow> events(std::optional<std::uint64_t> trial = {}) const;
  /// The network that was written at the end, if it was.
  [[nodiscard]] std::optional<ModelInfo> model() const;
  /// What the simplest predictors reach on the study's data; none before the study ended once.
  [[nodiscard]] std::vector<BaselineRow> baselines() const;
  /// The judgement of a trial's network, if that is the one that was written and judged.
  [[nodiscard]] std::optional<Verdict> verdict(std::uint64_t trial) const;
  /// Likewise its calibration; none if it predicts numbers.
  [[nodiscard]] std::optional<Calibrated> calibration(std::uint64_t trial) const;
  /// How sure that network's scores on the test part are; empty where there is no verdict, and in
  /// logs of an older build.
  [[nodiscard]] std::vector<ScoreInterval> intervals(std::uint64_t trial) const;
  [[nodiscard]] WorkCounters work() const;
  [[nodiscard]] std::vector<WorkerInfo> workers() const;
  /// The agents of the last session; none where there were none.
  [[nodiscard]] std::vector<NodeInfo> nodes() const;
  /// What the workers of each session did over time, in the order of sessions. Sessions that ran no
  /// tasks, of an older build, or that died within their first seconds, are missing.
  [[nodiscard]] std::vector<SessionUse> device_use() const;

  /// The course of the study (hpo/log/course.h).
  [[nodiscard]] ReportColumns reports() const;
  [[nodiscard]] std::vector<TrialSpan> spans() const;
  [[nodiscard]] std::vector<Turn> turns() const;

  /// True at the first call, and whenever another process has written since the last one. Costs
  /// microseconds.
  [[nodiscard]] bool moved();
  /// The number of the newest event; 0: there is none.
  [[nodiscard]] std::int64_t position() const;
  /// What came behind event number `position`.
  [[nodiscard]] Changes changes_since(std::int64_t position) const;

  /// As long as it lives every call sees the same state of the log.
  class Held {
   public:
    explicit Held(const StudyReader& study);
    ~Held();
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
  };

  /// The live driver, if any.
  [[nodiscard]] std::optional<DriverInfo> driver() const;
  /// The resolved study file (YAML).
  [[nodiscard]] std::string resolved() const;

 private:
  [[nodiscard]] std::string said_of_model(const char* fact, std::uint64_t trial) const;

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The folder of RUN: a folder that holds a study, or the name of one under `runs`. Throws
/// base::Error (usage) that names the nearest study there is.
[[nodiscard]] base::Path find_run(std::string_view run, const base::Path& runs);

}  // namespace hpo
