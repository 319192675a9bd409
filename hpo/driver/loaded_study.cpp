#include "hpo/driver/loaded_study.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hpo {

LoadedStudy load_settled(const StudySpec& study, const Params& params) {
  StudyData data = load_data(study, params);
  StudySpec settled = settle(study, data.info);
  // Read again in folds, data has nothing to guess any more.
  std::vector<std::string> notes = data.value.get().header().notes;
  const nn::DataSpec spec = data_spec(settled, params);
  if (spec.split.folds != data_spec(study, params).split.folds) data = load_data(settled, spec);
  Resources asked = materialise(settled, params, data.info).resources;
  return {.study = std::move(settled),
          .data = std::move(data),
          .params = params,
          .asked = asked,
          .notes = std::move(notes)};
}

LoadedStudy load_settled(const StudySpec& study) {
  return load_settled(study, study.space.middle());
}

std::int64_t slots_of(const StudySpec& study, const Resources& asked, int workers, int gpus) {
  if (study.parallel > 0) return study.parallel;
  std::int64_t slots = workers / std::max<std::int64_t>(1, asked.cpus);
  if (asked.gpus > 0)
    slots = std::min(slots, static_cast<std::int64_t>(std::floor(gpus / asked.gpus)));
  return std::max<std::int64_t>(1, slots);
}

std::int64_t slots_on(const rt::Platform& platform, const LoadedStudy& loaded) {
  const int workers = platform.cpu.count + platform.gpu.count * platform.gpu.sharers;
  return slots_of(loaded.study, loaded.asked, workers, platform.gpu.count);
}

}  // namespace hpo
