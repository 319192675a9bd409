#pragma once
// Whether a study is for GPUs, and the threshold between cores and GPUs written into it.

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

namespace study {

/// Throws a StudyError if trials ask for different parts of a GPU: the networks of a study share
/// GPUs in equal parts; a program gets what it asks for.
void check_parts(const StudySpec& study);

/// Throws a StudyError if a trial may be for a core although no core computes in the study's
/// precision.
void check_precision(const StudySpec& study);

/// Throws a StudyError for a `gpu_from` without `gpus: auto`.
void check_threshold(const StudySpec& study);

}  // namespace study

}  // namespace hpo
