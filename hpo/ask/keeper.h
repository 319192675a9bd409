#pragma once
// The process that owns the log of a study and serves it to all who ask and tell.

#include "hpo/study/spec.h"
#include "runtime/base/file.h"

namespace hpo {

/// Sees to it that the study in `folder` (made if missing) has a keeper: finds the one that lives
/// (one whose study has other limits by now is asked to end),
/// or becomes two processes, of which the new one keeps the study until nobody was connected for
/// `idle` seconds and does not return from here. Throws rt::Error: locked (a driver that is no
/// keeper has it), storage, study (the study in the folder was made from another file).
void start_keeper(const StudySpec& study, const rt::Path& folder, double idle);

}  // namespace hpo
