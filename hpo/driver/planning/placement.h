#pragma once
// Which kind of device a study's tasks are for.

#include <cstddef>
#include <span>
#include <string>

#include "hpo/driver/networks/loaded_study.h"
#include "hpo/place/timetable.h"
#include "hpo/study/trial_spec.h"
#include "runtime/place/device_model.h"

namespace hpo {

/// Where a study's work goes on a platform, and how long it takes there on paper.
struct Placement {
  double gpu_from = 0;  ///< tasks::DeviceRule, as the file says or as it was chosen
  Timetable expected;
  /// "cpu", "gpu", or "cpu and gpu".
  [[nodiscard]] std::string kinds(std::size_t trials) const;
};

/// The file's threshold, or where it has none the one with which the study's trials, played through
/// on paper, take the least time. Throws base::Error (no_device) where some are for a GPU and the
/// platform has none.
[[nodiscard]] Placement place_study(const LoadedStudy& loaded, const rt::Platform& platform);
/// The same of trials that were played through before (paper_trials).
[[nodiscard]] Placement place_trials(const LoadedStudy& loaded, const rt::Platform& platform,
                                     std::span<const PaperTrial> trials);

/// The study with a threshold that it has for good, where it says `gpus: auto` and no threshold:
/// the one that an earlier session wrote into `resolved` (empty: there was none), else the one that
/// is best for so many cores and GPUs of a common kind, in round figures: the load of a machine
/// never shows.
[[nodiscard]] StudySpec with_threshold(const LoadedStudy& loaded, const std::string& resolved,
                                       int cores, int gpus);

/// The same for a study that nobody began yet, in place.
void settle_threshold(LoadedStudy& loaded, int cores, int gpus);

/// A machine of so many cores like this one, and of so many GPUs of a common kind. Measures for 20
/// ms.
[[nodiscard]] rt::Platform platform_here(int cores, int gpus = 0);

}  // namespace hpo
