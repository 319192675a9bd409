#pragma once
// The report of a study, or of several beside each other: one HTML file that needs no network and
// no other file.

#include <span>
#include <string>

#include "hpo/log/study_reader.h"

namespace hpo {

/// Name of the file in a study's folder.
inline constexpr const char* kReportFile = "report.html";

struct ReportOptions {
  /// Shows absolute paths and names of hosts, which a page that is mailed should not have.
  bool with_paths = false;
  /// Shows what differs between two runs with equal results: clock times, devices, sessions.
  bool with_times = true;
  std::string version;  ///< of the program, for the page's last line
};

/// The page of a study; of several, what sets them apart. Equal logs give equal pages. Throws
/// base::Error (storage) for a damaged log.
[[nodiscard]] std::string report_page(std::span<const StudyReader> studies,
                                      const ReportOptions& options);

}  // namespace hpo
