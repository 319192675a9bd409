#include "hpo/driver/loaded_study.h"

#include <algorithm>
#include <cmath>

namespace hpo {

LoadedStudy load_settled(const StudySpec& study, const Params& params) {
  StudyData data = load_data(study, params);
  StudySpec settled = settle(study, data.info);
  Resources asked = materialise(settled, params, data.info).resources;
  return {.study = std::move(settled), .data = std::move(data), .params = params, .asked = asked};
}

LoadedStudy load_settled(const StudySpec& study) {
  return load_settled(study, study.space.middle());
}

bool is_folded(const LoadedStudy& loaded) {
  return data_spec(loaded.study, loaded.params).split.folds > 0;
}

std::int64_t slots_of(const StudySpec& study, const Resources& asked, int workers, int gpus) {
  if (study.parallel > 0) return study.parallel;
  std::int64_t slots = workers / std::max<std::int64_t>(1, asked.cpus);
  if (asked.gpus > 0)
    slots = std::min(slots, static_cast<std::int64_t>(std::floor(gpus / asked.gpus)));
  return std::max<std::int64_t>(1, slots);
}

}  // namespace hpo
