#pragma once
// Telling who watches a study about an event that is on disk.

#include "hpo/driver/observer.h"
#include "hpo/log/event.h"
#include "hpo/log/trial_row.h"

namespace hpo {

/// `row`: the event's trial, as it is by now.
void announce(const Event& event, const TrialRow& row, Observer& observer);

}  // namespace hpo
