#pragma once
// Forecasts of studies on nodes, for people; and what the command line says about programs.

#include <string>

#include "cli/arguments.h"
#include "hpo/driver/planning/simulate_nodes.h"
#include "hpo/study/spec.h"

namespace cli {

/// Declares --trial-seconds.
void declare_trial_seconds(Arguments& arguments);

/// How long a trial's program runs, as --trial-seconds says. Throws base::Error (usage) where it is
/// neither a number of seconds nor a parameter of the study that takes numbers, naming the nearest.
[[nodiscard]] hpo::ProgramTime program_time(const Arguments& arguments,
                                            const hpo::StudySpec& study);

/// The table, and the number of nodes after which one more hardly helps.
[[nodiscard]] std::string nodes_text(const hpo::NodesForecast& forecast);

}  // namespace cli
