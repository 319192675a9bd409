#include "hpo/driver/programs/late_reports.h"

#include <chrono>

#include "base/text.h"
#include "hpo/driver/programs/program_order.h"

namespace hpo {

namespace {

/// Fewer may be the figures of an end, such as those of a last test.
constexpr std::size_t kSeveral = 3;
/// In less time nothing worth having is saved, and reports may come together by chance.
constexpr base::Duration kLong = std::chrono::milliseconds(500);
/// The share of a program's time behind which a first report counts as one of the end.
constexpr double kEnd = 0.9;

}  // namespace

void LateReports::begin(base::Moment at) {
  begun_ = at;
  first_.reset();
  count_ = 0;
}

void LateReports::came(std::size_t count, base::Moment at) {
  if (count > 0 && !first_) first_ = at;
  count_ += count;
}

bool LateReports::are_late(base::Duration took) const {
  return count_ >= kSeveral && took >= kLong &&
         base::seconds(*first_ - begun_) >= kEnd * base::seconds(took);
}

std::string late_text(const StudySpec& study, std::uint64_t trial, std::size_t reports,
                      base::Duration took) {
  const char* cure = "let the program flush $TRELLIS_METRICS, or close it, after each report";
  if (study.library == Library::wandb) cure = "a newer version of wandb writes each report at once";
  if (reads_output(study))
    cure =
        study.output == OutputKind::terminal
            ? "let the program flush what it prints (fflush() in awk)"
            : "let the program flush what it prints (fflush() in awk), or write output: terminal "
              "into the study file";
  return base::cat("trial ", trial, ": all of its ", reports,
                   " reports came when its program ended, after ",
                   base::format_seconds(base::seconds(took)),
                   ", so early_stop saves nothing; if it had them earlier, ", cure);
}

}  // namespace hpo
