#include "hpo/search/reached.h"

#include "base/text.h"

namespace hpo {

std::optional<Finished> reached(const Limits& limits, const TrialTable& trials) {
  const Objective& objective = trials.objective();
  const TrialRow* record = trials.record();
  if (limits.target && record != nullptr && objective.score(*record).feasible() &&
      !objective.better(*limits.target, *record->value))
    return Finished{Finish::target,
                    base::cat("trial ", record->trial, " has ", base::format_double(*record->value),
                              ", limits.target is ", base::format_double(*limits.target))};
  const TrialTable::Streak& streak = trials.longest_streak();
  if (limits.patience && streak.trials >= *limits.patience)
    return Finished{
        Finish::patience,
        base::cat(streak.trials, " trials in a row ",
                  streak.record ? base::cat("were no better than trial ", *streak.record)
                                : std::string("came to no end"))};
  return std::nullopt;
}

bool ends_by_time(const StudySpec& study) {
  return study.limits.time && !study.limits.trials && study.method.kind != "grid";
}

}  // namespace hpo
