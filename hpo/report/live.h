#pragma once
// The page of a study that a server sends, and what it sends behind it while the study runs.

#include <cstdint>
#include <string>

#include "hpo/log/changes.h"
#include "hpo/log/objective.h"
#include "hpo/log/study_reader.h"
#include "hpo/report/places.h"
#include "hpo/report/report.h"

namespace hpo {

/// Where the page finds what is not in it.
struct LivePlace {
  std::string assets;  ///< folder of page.js and page.css
  std::string events;  ///< what tells of changes, as server-sent events
  std::string stop;    ///< whom to ask to stop the study; empty: nobody
};

struct LivePage {
  std::string html;
  std::int64_t position = 0;  ///< the newest event that it shows
  report::Places places;      ///< for what comes behind it
};

/// The page of `report_page` for a server. Everything in it is of one state of the log.
[[nodiscard]] LivePage live_page(const StudyReader& study, const ReportOptions& options,
                                 const LivePlace& place);

/// What changed, as JSON for the script of that page.
[[nodiscard]] std::string json_of_changes(const Changes& changes, const Objective& objective,
                                          const report::Places& places);

}  // namespace hpo
