#include "hpo/study/lateness.h"

#include "base/error.h"
#include "base/text.h"
#include "hpo/study/load_steps.h"
#include "hpo/study/places.h"
#include "hpo/study/rate_rule.h"

namespace hpo::study {

void check_lateness(const StudySpec& study) {
  if (!study.train.staleness) return;
  const auto refuse = [&](const std::string& what) {
    throw StudyError(study.places->at("train.staleness"),
                     base::cat("train.staleness cannot be used with ", what));
  };
  if (study.train.late == 1)
    refuse("train.late, which makes gradients late in another way; remove one of the two");
  if (study.adapt) refuse("adapt, which judges networks within an epoch; remove one of the two");
  if (study.early_stop_unit != Unit::epochs)
    refuse("an early_stop.unit other than epochs: replicas meet at the end of an epoch alone");
  if (study.train.staleness->by_arrival() && study.train.staleness->jitter)
    throw StudyError(study.places->at("train.staleness.jitter"),
                     "train.staleness.jitter delays batches in virtual time, but with `order: "
                     "arrival` the machine does; remove one of the two");
}

void require_repeatable(const StudySpec& study) {
  if (!study.train.staleness || !study.train.staleness->by_arrival()) return;
  const Position at = study.places->at("train.staleness.order");
  throw base::Error(
      base::Errc::study,
      base::cat(
          base::printable(study.file), ":", at.line, ":", at.column,
          ": with train.staleness.order: arrival no training repeats, but a search resumes and "
          "compares trials that do; use trellis train, or order: virtual"));
}

std::optional<std::string> note_on_staleness(const StudySpec& study) {
  const std::optional<StalenessRows>& rows = study.train.staleness;
  if (!rows || rows->replicas < 2 || !begins_at_full_height(study.train)) return std::nullopt;
  return base::cat("train.staleness: gradients of ", rows->replicas,
                   " replicas are late, and a rate that is full in the first step may then lose "
                   "accuracy or diverge, with momentum above all; begin lower with `schedule: "
                   "{cosine: {warmup: 1}}` or `schedule: warmup`");
}

}  // namespace hpo::study
