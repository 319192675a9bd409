#pragma once
// Watching a study on a terminal, whoever drives it.

#include "hpo/log/study_reader.h"

namespace cli {

/// Paints how the study stands, again and again, until no driver runs it or somebody presses q. The
/// last lines stay. Standard output is a terminal that can be painted.
void watch_on_terminal(const hpo::StudyReader& study);

}  // namespace cli
