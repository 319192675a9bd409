#include "hpo/driver/front_files.h"

namespace hpo {

void write_front(const rt::Path& folder, std::span<const CandidateRow> rows) {
  if (rows.empty()) return;
  rt::write_file_atomic(folder / "candidates.csv", candidates_csv(rows));
  const std::string picture = front_svg(rows);
  if (picture.empty()) return;
  rt::write_file_atomic(folder / "front.csv", front_csv(rows));
  rt::write_file_atomic(folder / "front.svg", picture);
}

}  // namespace hpo
