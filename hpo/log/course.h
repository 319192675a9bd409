#pragma once
// The course of a study, for pages and pictures: passes over the log that check no checksums and
// read no JSON of reports, so that they stay quick in long studies.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "hpo/log/event.h"

namespace hpo {

namespace sql {
class Database;
}

/// The reports of all trials in the order of the log, as columns of equal length.
struct ReportColumns {
  std::vector<std::uint64_t> trial;
  std::vector<std::int64_t> step;
  std::vector<double> value;

  [[nodiscard]] std::size_t size() const { return trial.size(); }
};

/// When the last attempt of an ended trial ran: wall clock, microseconds since 1970; 0: unknown.
struct TrialSpan {
  std::int64_t began = 0;
  std::int64_t ended = 0;
};

/// An event that is neither a report nor the end of a trial.
struct Turn {
  std::int64_t at = 0;                 ///< wall clock, microseconds since 1970; 0: unknown
  std::optional<std::uint64_t> trial;  ///< none: about the study
  EventBody body;
};

[[nodiscard]] ReportColumns read_reports(sql::Database& db);
/// One for each trial, by number; trials that did not end have zeros. `origin`: the moment from
/// which rows count time; files of format 1 have none.
[[nodiscard]] std::vector<TrialSpan> read_spans(sql::Database& db, std::int64_t origin);
/// In the order of the log. The creation of trials is among them only in studies whose trials take
/// over networks, and then comes first.
[[nodiscard]] std::vector<Turn> read_turns(sql::Database& db, std::int64_t origin);

}  // namespace hpo
