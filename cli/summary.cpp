#include "cli/summary.h"

#include "cli/terminal.h"
#include "runtime/base/text.h"

namespace cli {

std::string text_best(const hpo::TrialRow& best, std::string_view metric,
                      const std::optional<hpo::ModelInfo>& model) {
  std::string out = rt::cat("best trial ", best.trial, " (", hpo::name_of(best.state), ", ",
                            best.epochs, " epochs): ", metric, " = ",
                            best.value ? rt::format_double(*best.value) : "none", "\n");
  for (const auto& [name, value] : best.metrics)
    if (name != metric) out += rt::cat("  ", name, " = ", rt::format_double(value), "\n");
  out += rt::cat("  params: ", hpo::text_of(best.params), "\n");
  if (model && model->trial == best.trial) out += rt::cat("  model: ", model->file.string(), "\n");
  return out;
}

}  // namespace cli
