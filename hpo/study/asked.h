#pragma once
// Studies whose trials are run by whoever asks for them: a file with a space and a metric, and
// neither data nor a command.

#include <string_view>

#include "hpo/study/node.h"
#include "hpo/study/spec.h"

namespace hpo {

/// Throws base::Error (study) for a study that somebody else runs.
void require_own_trials(const StudySpec& study);

/// Throws base::Error (study) for a study that we run ourselves.
void require_asked(const StudySpec& study);

namespace study {

/// Who runs the trials of a file: "command" (a program), "ask" (whoever asks), else "data" (we do).
[[nodiscard]] std::string_view source_of_study(const Node& root);

/// The rules for a file whose trials are asked for. Throws a StudyError.
void check_asked(const StudySpec& study);

}  // namespace study

}  // namespace hpo
