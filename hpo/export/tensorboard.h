#pragma once
// A study as event files for TensorBoard, with its hyperparameters for the plugin `hparams`
// (tensorboard/plugins/hparams/plugin_data.proto and api.proto).

#include <span>

#include "base/file.h"
#include "hpo/log/study_reader.h"
#include "hpo/space/space.h"

namespace hpo {

/// The tag of a trial's value as the study counts it: with `take: best` that is not the last
/// report.
inline constexpr const char* kValueTag = "trial/value";

/// Writes one file for the study into `folder` and one for each of `trials` into a folder of its
/// own, FOLDER/0007. Files of an earlier call are continued. Throws base::Error: usage where one of
/// these folders has event files of something else, else storage.
void write_tensorboard(const StudyReader& study, const Space& space,
                       std::span<const TrialRow> trials, const base::Path& folder);

}  // namespace hpo
