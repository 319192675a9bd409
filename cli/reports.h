#pragma once
// The page of a study that is written into its folder.

#include "base/file.h"
#include "hpo/report/report.h"

namespace cli {

/// What every page of this program has.
[[nodiscard]] hpo::ReportOptions report_options();

/// Writes the page of the study in `folder` and names it on standard output. Where that fails a
/// line on standard error says why: the study is as good without it.
void name_report(const base::Path& folder);

}  // namespace cli
