#pragma once
// The `from` section: a trained network that goes on.

#include <string>
#include <string_view>

#include "hpo/study/node.h"
#include "hpo/study/spec.h"

namespace hpo {

/// Throws base::Error (study) at `from.<key>`: `from.model is "...", ` and then `problem`. `key` is
/// model, replay or optimizer; study.from is set.
[[noreturn]] void refuse_from(const StudySpec& study, std::string_view key,
                              const std::string& problem);

namespace study {

/// `from: FILE` as `from: {model: FILE}`.
void write_out_from(Node& root);

/// Makes the paths absolute: that of the model from the study file's folder, that of the replay as
/// data is found. Throws a StudyError if the replay is not there.
void locate_from(StudySpec& study);

}  // namespace study

}  // namespace hpo
