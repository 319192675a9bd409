#include "hpo/driver/announce.h"

#include "base/text.h"

namespace hpo {

void announce(const Event& event, const TrialRow& row, Observer& observer) {
  if (std::holds_alternative<Created>(event.body)) {
    observer.trial_started(row);
  } else if (std::holds_alternative<Reported>(event.body)) {
    observer.trial_reported(row);
  } else if (const auto* round = std::get_if<Adapted>(&event.body)) {
    observer.trial_adapted(row, *round);
  } else if (const auto* replaced = std::get_if<Replaced>(&event.body)) {
    observer.trial_replaced(row, *replaced);
  } else if (const auto* noted = std::get_if<Noted>(&event.body)) {
    observer.note(base::cat("trial ", row.trial, ": ", noted->message));
  } else if (const auto* again = std::get_if<Retried>(&event.body)) {
    observer.note(base::cat("trial ", row.trial, " begins again (attempt ", row.attempts,
                            "): ", name_of(again->cause), again->message.empty() ? "" : ": ",
                            again->message));
  } else if (std::holds_alternative<Ended>(event.body)) {
    observer.trial_ended(row);
  }
}

}  // namespace hpo
