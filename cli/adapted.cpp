#include "cli/adapted.h"

#include <cmath>

#include "base/text.h"
#include "cli/terminal.h"

namespace cli {

std::string round_line(const hpo::Adapted& round) {
  const hpo::Tried& taken = round.accepted();
  const double epoch = static_cast<double>(round.from) / static_cast<double>(round.grid);
  const std::string fold = round.fold > 0 ? base::cat("fold ", round.fold, ", ") : "";
  std::string out = base::cat(fold, "epoch ", base::format_double(epoch), ": ", taken.change,
                              " -> ", taken.shape);
  if (!std::isnan(taken.loss)) out += base::cat(", loss ", short_number(taken.loss));
  const std::string among =
      round.candidates.size() > 1 ? base::cat("of ", round.candidates.size(), " tried: ") : "";
  if (among.empty() && taken.why.empty()) return out;
  return base::cat(out, " (", among, taken.why, ")");
}

}  // namespace cli
