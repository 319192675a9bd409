#pragma once
// The process that owns the log of a study and serves it to all who ask and tell.

#include <cstdint>

#include "base/file.h"
#include "hpo/study/spec.h"

namespace hpo {

/// Where a study was read: a file says what its limits are to be; what the folder said may be out
/// of date, and then its keeper knows better.
enum class ReadFrom : std::uint8_t { file, folder };

/// Sees to it that the study in `folder` (made if missing) has a keeper: finds the one that lives
/// (one whose study has other limits than the file is asked to end),
/// or becomes two processes, of which the new one keeps the study until nobody was connected for
/// `idle` seconds and does not return from here. Throws base::Error: locked (a driver that is no
/// keeper has it), storage, study (the study in the folder was made from another file).
void start_keeper(const StudySpec& study, ReadFrom from, const base::Path& folder, double idle);

}  // namespace hpo
