#pragma once
// The study with the border between cores and GPUs written into it.

#include "hpo/study/spec.h"

namespace hpo {

/// FLOPs of a training step that no network has: all are for cores.
inline constexpr double kNoGpu = 1e30;

/// `study` with `resources: {gpus: auto, gpu_from: ...}`; infinity becomes kNoGpu.
[[nodiscard]] StudySpec with_gpus_by_size(const StudySpec& study, double gpu_from);

}  // namespace hpo
