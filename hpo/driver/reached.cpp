#include "hpo/driver/reached.h"

#include "runtime/base/text.h"

namespace hpo {

std::optional<Finished> reached(const Limits& limits, const TrialTable& trials) {
  const Objective& objective = trials.objective();
  const TrialRow* record = trials.record();
  if (limits.target && record != nullptr && objective.score(*record).feasible() &&
      !objective.better(*limits.target, *record->value))
    return Finished{Finish::target,
                    rt::cat("trial ", record->trial, " has ", rt::format_double(*record->value),
                            ", limits.target is ", rt::format_double(*limits.target))};
  const TrialTable::Streak& streak = trials.longest_streak();
  if (limits.patience && streak.trials >= *limits.patience)
    return Finished{Finish::patience,
                    rt::cat(streak.trials, " trials in a row ",
                            streak.record ? rt::cat("were no better than trial ", *streak.record)
                                          : std::string("came to no end"))};
  return std::nullopt;
}

bool ends_by_time(const StudySpec& study) {
  return study.limits.time && !study.limits.trials && study.method.kind != "grid";
}

}  // namespace hpo
