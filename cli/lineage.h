#pragma once
// Where a trial's network comes from, as lines for people.

#include <string>

#include "hpo/log/event.h"
#include "hpo/log/lineage.h"
#include "hpo/log/trial_row.h"

namespace cli {

/// "trial 6 goes on from trial 2 after 3 epochs: lr=0.024 momentum=0.9"
[[nodiscard]] std::string replaced_line(const hpo::TrialRow& trial, const hpo::Replaced& replaced);

/// One line a stage: "epoch 3: trial 6 takes over, 0.91 instead of 0.85: lr 0.02 -> 0.024, widen
/// fc1 by 16 -> 64-80-10".
[[nodiscard]] std::string lineage_lines(const hpo::Lineage& lineage);

}  // namespace cli
