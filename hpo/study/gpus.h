#pragma once
// Whether a study is for GPUs, and the border between cores and GPUs written into it.

#include "hpo/space/space.h"
#include "hpo/study/node.h"
#include "hpo/study/spec.h"

namespace hpo {

/// FLOPs of a training step that no network has: all are for cores.
inline constexpr double kNoGpu = 1e30;

/// `study` with `resources: {gpus: auto, gpu_from: ...}`; infinity becomes kNoGpu.
[[nodiscard]] StudySpec with_gpus_by_size(const StudySpec& study, double gpu_from);

/// Whether any trial may be for a GPU, whatever values it has.
[[nodiscard]] bool may_use_gpus(const StudySpec& study);

/// Trials that may compute on one GPU side by side: as many as fit with the part of it that trials
/// ask for, at most kMostPerGpu. Networks share a GPU and its memory in equal parts.
inline constexpr int kMostPerGpu = 16;
[[nodiscard]] int trials_per_gpu(const StudySpec& study);

/// Whether two trials may ask for such parts of a GPU that not equally many fit on one.
[[nodiscard]] bool parts_differ(const study::Node& gpus, const Space& space);

/// Whether any trial may be for a core, whatever values it has: `gpus` is the file's, and `auto` in
/// it leaves it open.
[[nodiscard]] bool may_ask_for_cores(const study::Node& gpus, const Space& space);

}  // namespace hpo
