// Whether the search is done.

#include <algorithm>

#include "base/text.h"
#include "base/words.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"

namespace hpo::report {

namespace {

/// Fewer ended trials say nothing about whether more would help.
constexpr std::int64_t kFewEnded = 20;
/// Fewer complete trials are said beside "has settled".
constexpr std::int64_t kFewComplete = 5;
/// The share of all ended trials since the best one from which on a search counts as settled, and
/// that up to which it may still improve.
constexpr double kSettled = 0.5, kImproving = 0.2;

/// Trials that ended and were created after the best one.
std::int64_t since_best(const Gathered& study) {
  return std::ranges::count_if(study.trials, [&](const TrialRow& row) {
    const bool over = row.state == TrialState::complete || row.state == TrialState::stopped ||
                      row.state == TrialState::failed;
    return over && row.trial > study.best->trial;
  });
}

std::string progress_heading(const Gathered& study, std::int64_t since) {
  const std::int64_t ended = study.ended();
  if (ended < kFewEnded)
    return base::cat("Too few trials to say whether more would help: ", ended, " ended.");
  const std::string best =
      base::cat("the best is trial ", study.best->trial, " of ", study.counts.all());
  const std::string after =
      base::cat(", and the ", base::counted(since, "trial"), " after it brought nothing better.");
  const double share = static_cast<double>(since) / static_cast<double>(ended);
  if (share >= kSettled) return base::cat("The search has settled: ", best, after);
  if (share <= kImproving) return base::cat("More trials may help: ", best, ".");
  return base::cat(capital(best), after);
}

std::string standing(const Gathered& study) {
  const std::string reason = visible(study.hidden(study.info.reason));
  const bool over = study.info.state == StudyState::finished;
  if (study.info.asked && !over)
    return base::cat("Another program runs its trials: ", study.ended(), " of ", study.counts.all(),
                     " ended. ");
  switch (study.info.state) {
    case StudyState::running:
      return base::cat("The study runs: ", study.ended(), " of ", study.counts.all(),
                       " trials ended. ");
    case StudyState::interrupted:
      return "The study was stopped before its end; the same command continues it. ";
    case StudyState::failed:
      return base::cat("The study was ended by failures: ", reason, ". ");
    case StudyState::finished:
      break;
  }
  return reason.empty() ? "" : base::cat("The study ended: ", reason, ". ");
}

}  // namespace

std::optional<Section> progress_section(const Gathered& study) {
  if (!study.best) return std::nullopt;
  Section section{.id = "progress", .title = "Progress"};
  section.heading = progress_heading(study, since_best(study));
  section.lead = standing(study);
  if (study.counts.complete < kFewComplete)
    section.lead += base::cat("Only ", base::counted(study.counts.complete, "trial"),
                              study.counts.complete == 1 ? " is" : " are", " complete.");
  section.body =
      picture("history", base::cat("Every trial's ", visible(study.info.metric, kLongName),
                                   " and the best so far. ", section.heading));
  return section;
}

}  // namespace hpo::report
