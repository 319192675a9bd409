// How the trials learned.

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "base/words.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"

namespace hpo::report {

namespace {

/// Rows of the table of ends.
constexpr std::size_t kStepRows = 16;

/// Where the winner had its best report; the last of equal ones.
std::size_t best_point(const Gathered& study, std::size_t trial) {
  const Curves& curves = study.curves;
  std::size_t best = curves.begin(trial);
  for (std::size_t i = best + 1; i < curves.end(trial); ++i)
    if (!study.objective.better(curves.value[best], curves.value[i])) best = i;
  return best;
}

std::string curves_heading(const Gathered& study) {
  const Curves& curves = study.curves;
  const std::string unit = study.unit();
  if (!study.best || curves.begin(study.best->trial) == curves.end(study.best->trial))
    return base::cat(base::counted(curves.points(), "report"), " came in.");
  const std::size_t trial = study.best->trial;
  const std::int64_t last = curves.step[curves.end(trial) - 1];
  if (curves.end(trial) - curves.begin(trial) == 1)
    return base::cat("The winner reported once, at ", unit, " ", last, ".");
  const std::size_t best = best_point(study, trial);
  if (best + 1 == curves.end(trial))
    return base::cat("The winner was at its best at its last report, at ", unit, " ", last, ".");
  return base::cat("The winner was at its best at ", unit, " ", curves.step[best], " of ", last,
                   ".");
}

/// At which steps trials ended, and how.
std::string ends_table(const Gathered& study) {
  struct Ends {
    std::int64_t complete = 0, stopped = 0, failed = 0;
  };
  std::map<std::int64_t, Ends> by_step;
  for (const TrialRow& row : study.trials) {
    Ends& at = by_step[row.step];
    at.complete += row.state == TrialState::complete ? 1 : 0;
    at.stopped += row.state == TrialState::stopped ? 1 : 0;
    at.failed += row.state == TrialState::failed ? 1 : 0;
  }
  if (study.counts.stopped + study.counts.failed == 0 || by_step.size() > kStepRows) return "";
  Table table({base::cat("last ", study.unit()), "stopped", "complete", "failed"}, 0);
  for (const auto& [step, at] : by_step)
    table.row({std::to_string(step), std::to_string(at.stopped), std::to_string(at.complete),
               std::to_string(at.failed)});
  return table.html();
}

}  // namespace

std::optional<Section> curves_section(const Gathered& study) {
  // Of one report a trial there is no curve; the picture of the progress has them all.
  const auto is_curve = [&](const TrialRow& row) {
    return study.curves.end(row.trial) > study.curves.begin(row.trial) + 1;
  };
  const bool may_come = study.info.state != StudyState::finished && study.curves.points() > 0;
  if (!may_come && std::ranges::none_of(study.trials, is_curve)) return std::nullopt;
  Section section{.id = "curves", .title = "Curves", .heading = curves_heading(study)};
  section.lead = base::cat(base::counted(study.curves.points(), "report"), " from ",
                           base::counted(study.trials.size(), "trial"), ".");
  if (study.counts.stopped > 0)
    section.lead += base::cat(" A stopping rule ended ",
                              base::counted(study.counts.stopped, "trial"), " early.");
  section.body =
      picture("curves", base::cat("Every trial's reports. ", section.heading)) + ends_table(study);
  return section;
}

}  // namespace hpo::report
