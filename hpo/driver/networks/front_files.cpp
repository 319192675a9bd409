#include "hpo/driver/networks/front_files.h"

#include <vector>

#include "base/text.h"
#include "hpo/export/candidates.h"
#include "hpo/export/front.h"

namespace hpo {

void write_front(const base::Path& folder, const TrialTable& trials, std::string_view prefix) {
  const auto file = [&](std::string_view name) { return folder / base::cat(prefix, name); };
  std::vector<CandidateRow> rows;
  std::vector<FrontPoint> points;
  for (const TrialRow& row : trials.rows()) {
    const std::uint64_t trial = row.trial;
    append_candidates(rows, trial, trials.rounds(trial));
    append_points(points, trial, trials.rounds(trial), trials.adapting_reports(trial));
  }
  if (!rows.empty()) base::write_file_atomic(file("candidates.csv"), candidates_csv(rows));
  if (points.empty()) return;
  base::write_file_atomic(file("front.csv"), front_csv(points));
  base::write_file_atomic(file("front.svg"), front_svg(points));
}

}  // namespace hpo
