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
  if (limits.patience && trials.since_record() >= *limits.patience)
    return Finished{
        Finish::patience,
        rt::cat(trials.since_record(), " trials in a row",
                record == nullptr ? std::string(" ended without a complete one")
                                  : rt::cat(" were no better than trial ", record->trial))};
  return std::nullopt;
}

}  // namespace hpo
