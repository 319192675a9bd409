#pragma once
// What a program reports: lines of its metrics file, and lines of its output that match the
// study's expression.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpo/driver/programs/line_reader.h"
#include "hpo/driver/programs/report_line.h"
#include "hpo/driver/programs/trial_folder.h"
#include "hpo/driver/trial_work.h"
#include "hpo/study/pattern.h"
#include "hpo/study/spec.h"

namespace hpo {

/// What stood where a metric's number was expected.
struct NoNumber {
  std::string text;
  bool of_output = false;  ///< the metric's expression took it; else it is a value in a report
  bool as_step = false;    ///< likewise, as the number of a step
};

/// The reports of one attempt. Not thread-safe.
class CommandReports {
 public:
  /// `last` is the trial's last report in the log, null for none.
  CommandReports(const StudySpec& study, const Reported* last);

  /// What earlier attempts of the trial reported behind `last` and the log does not have. Only what
  /// says its own step counts: nobody knows where an attempt went on that does not say.
  [[nodiscard]] std::vector<Report> left_over(const TrialFolder& folder);

  /// The attempt begins; reports that say no step count from the last one on where it begins with
  /// checkpoints, else from the beginning.
  void begin(bool with_checkpoints);

  /// Adds the reports since the last call, in order; with `over`, all that there are. A line
  /// without the study's metric adds its values to the next one that has it; what else decides
  /// (other metrics, bounds) keeps its value until it is reported again. A step at or before the
  /// one reported last is passed over: it is one that was repeated. Throws TrialFailure, with what
  /// came before in `out`.
  void take(const TrialFolder& folder, bool over, std::vector<Report>& out);

  /// Whether lines of the output are looked at; bytes of it that were read.
  [[nodiscard]] bool read_output() const { return !patterns_.empty(); }
  [[nodiscard]] std::uint64_t output_read() const { return log_.bytes(); }

  /// One more report, of a program that has ended, where something that decides came behind its
  /// last one; `measured`: what it was measured by.
  [[nodiscard]] std::optional<Report> closing(const Metrics& measured);

  /// The first of the metrics that decide and were never reported; null: none is missing.
  [[nodiscard]] const std::string* missing() const;
  /// Names that were reported without the study's metric.
  [[nodiscard]] const Metrics& pending() const { return pending_; }
  /// What a metric had last that is no number.
  [[nodiscard]] std::optional<NoNumber> no_number(const std::string& metric) const;

 private:
  void add(ReportLine line, std::vector<Report>& out);
  void find_in(const std::string& printed, std::vector<ReportLine>& out);
  void keep(const Metrics& metrics);

  std::vector<std::string> deciding_;  ///< the study's metric first
  std::vector<std::pair<std::string, Pattern>> patterns_;
  LineReader reports_, log_;
  std::int64_t last_;
  std::int64_t own_ = 0;                        ///< reports of the attempt that did not say a step
  std::map<std::string, NoNumber> no_numbers_;  ///< by metric
  Metrics pending_;
  Metrics known_;  ///< the newest values of what decides
};

}  // namespace hpo
