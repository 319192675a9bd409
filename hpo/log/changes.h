#pragma once
// What came to the log behind some event, for those that follow a study while it runs.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "hpo/log/course.h"
#include "hpo/log/trial_row.h"

namespace hpo {

struct Changes {
  std::int64_t from = 0;         ///< number of the event behind which they came
  std::int64_t position = 0;     ///< number of the newest event
  std::vector<TrialRow> trials;  ///< that the events are about, as they stand now, by number
  std::map<std::uint64_t, TrialSpan> spans;  ///< of those that ended
  std::vector<std::int64_t> seq;             ///< numbers of the reports' events
  ReportColumns reports;                     ///< that came, in order
};

[[nodiscard]] std::int64_t newest_event(sql::Database& db);
/// All but the trials. `origin`: the moment from which rows count time.
[[nodiscard]] Changes read_changes(sql::Database& db, std::int64_t position, std::int64_t origin);
/// SQL for the trials: WHERE and ORDER BY, with the position as its argument.
[[nodiscard]] std::string condition_of_changed(sql::Database& db);

}  // namespace hpo
