#pragma once
// What a study of adapting networks leaves in its folder besides the log.

#include <span>

#include "hpo/export/candidates.h"
#include "runtime/base/file.h"

namespace hpo {

/// Writes candidates.csv, and where something was measured front.csv and front.svg, into `folder`.
/// Without rows nothing is written. Throws rt::Error (storage).
void write_front(const rt::Path& folder, std::span<const CandidateRow> rows);

}  // namespace hpo
