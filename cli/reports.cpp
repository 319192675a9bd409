#include "cli/reports.h"

#include <cstdio>
#include <span>

#include "base/error.h"
#include "base/text.h"
#include "cli/runs.h"
#include "hpo/log/study_reader.h"

namespace cli {

hpo::ReportOptions report_options() { return {.version = TRELLIS_VERSION}; }

void name_report(const base::Path& folder) {
  const base::Path file = folder / hpo::kReportFile;
  try {
    const hpo::StudyReader study(folder);
    base::write_file_atomic(file, hpo::report_page(std::span(&study, 1), report_options()),
                            base::Durability::cached);
  } catch (const base::Error& error) {
    std::fprintf(stderr, "trellis: no report was written: %s\n", error.what());
    return;
  }
  print_result(base::cat("report: ", file.string()));
}

}  // namespace cli
