#pragma once
// What a program reports: lines of its metrics file, and lines of its output that match the
// study's expression.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpo/driver/line_reader.h"
#include "hpo/driver/report_line.h"
#include "hpo/driver/trial_folder.h"
#include "hpo/driver/trial_work.h"
#include "hpo/study/pattern.h"
#include "hpo/study/spec.h"

namespace hpo {

/// The reports of one attempt. Not thread-safe.
class CommandReports {
 public:
  /// `folder` outlives it; `last` is the step of the trial's last report in the log, -1 for none.
  CommandReports(const StudySpec& study, const TrialFolder& folder, std::int64_t last);

  /// What earlier attempts of the trial reported behind `last` and the log does not have. Only what
  /// says its own step counts: nobody knows where an attempt went on that does not say.
  [[nodiscard]] std::vector<Report> left_over();

  /// Reports since the last call, in order; with `over`, all that there are. A line without the
  /// study's metric adds its values to the next one that has it. A step at or before the one
  /// reported last is passed over: it is one that was repeated. Throws TrialFailure.
  [[nodiscard]] std::vector<Report> take(bool over);

  /// The report of a program that has ended, with a metric that it is measured by.
  [[nodiscard]] Report measured(double value);

  /// Whether any report was there, of this attempt or before it.
  [[nodiscard]] bool any() const { return last_ >= 0; }
  /// Names that were reported without the study's metric.
  [[nodiscard]] const Metrics& pending() const { return pending_; }

 private:
  void add(ReportLine line, std::vector<Report>& out);
  [[nodiscard]] bool has_metric(const ReportLine& line) const;

  const Metric& metric_;
  std::optional<Pattern> pattern_;
  LineReader reports_, log_, old_log_;
  std::int64_t last_;
  std::int64_t own_ = 0;  ///< reports of the attempt that did not say a step
  Metrics pending_;
};

}  // namespace hpo
