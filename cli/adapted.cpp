#include "cli/adapted.h"

#include <cmath>

#include "cli/terminal.h"
#include "runtime/base/text.h"

namespace cli {

std::string round_line(const hpo::Adapted& round) {
  const hpo::Tried& taken = round.accepted();
  const double epoch = static_cast<double>(round.from) / static_cast<double>(round.grid);
  const std::string fold = round.fold > 0 ? rt::cat("fold ", round.fold, ", ") : "";
  std::string out =
      rt::cat(fold, "epoch ", rt::format_double(epoch), ": ", taken.change, " -> ", taken.shape);
  if (!std::isnan(taken.loss)) out += rt::cat(", loss ", short_number(taken.loss));
  const std::string among =
      round.candidates.size() > 1 ? rt::cat("of ", round.candidates.size(), " tried: ") : "";
  if (among.empty() && taken.why.empty()) return out;
  return rt::cat(out, " (", among, taken.why, ")");
}

}  // namespace cli
