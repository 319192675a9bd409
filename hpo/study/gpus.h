#pragma once
// Whether a study is for GPUs, and the border between cores and GPUs written into it.

#include "hpo/study/spec.h"

namespace hpo {

/// FLOPs of a training step that no network has: all are for cores.
inline constexpr double kNoGpu = 1e30;

/// `study` with `resources: {gpus: auto, gpu_from: ...}`; infinity becomes kNoGpu.
[[nodiscard]] StudySpec with_gpus_by_size(const StudySpec& study, double gpu_from);

/// Whether any trial may be for a GPU, whatever values it has.
[[nodiscard]] bool may_use_gpus(const StudySpec& study);

}  // namespace hpo
