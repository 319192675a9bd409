#include "hpo/driver/front_files.h"

#include <vector>

#include "hpo/export/candidates.h"
#include "hpo/export/front.h"
#include "runtime/base/text.h"

namespace hpo {

void write_front(const rt::Path& folder, const TrialTable& trials, std::string_view prefix) {
  const auto file = [&](std::string_view name) { return folder / rt::cat(prefix, name); };
  std::vector<CandidateRow> rows;
  std::vector<FrontPoint> points;
  for (const TrialRow& row : trials.rows()) {
    const std::uint64_t trial = row.trial;
    append_candidates(rows, trial, trials.rounds(trial));
    append_points(points, trial, trials.rounds(trial), trials.adapting_reports(trial));
  }
  if (!rows.empty()) rt::write_file_atomic(file("candidates.csv"), candidates_csv(rows));
  if (points.empty()) return;
  rt::write_file_atomic(file("front.csv"), front_csv(points));
  rt::write_file_atomic(file("front.svg"), front_svg(points));
}

}  // namespace hpo
