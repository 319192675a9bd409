#pragma once
// A study and the log in its folder come together.

#include <string>
#include <vector>

#include "base/file.h"
#include "hpo/log/event_log.h"
#include "hpo/study/spec.h"

namespace hpo {

struct StudyData;

/// Fact of a log that began with so many trials of another tool: `try_first` comes behind them.
inline constexpr const char* kImportedFact = "imported";

/// Whether all that a log has are another tool's trials: how to search may be said otherwise yet.
[[nodiscard]] bool is_unsearched(const EventLog& log);

/// Begins the log of a fresh folder, or checks that the one that is there is of this study; writes
/// study.yaml. A fresh log gets the trials of the earlier studies that this one starts from. `data`
/// is null where no network is trained. Returns what the study says otherwise than the log, for the
/// log. Throws base::Error (study) where it is another study.
[[nodiscard]] std::vector<Changed> adopt(EventLog& log, const StudySpec& study,
                                         const StudyData* data, const base::Path& folder);

/// Where the search has learnt nothing (EventLog::is_void; never where trials were asked for) and
/// the study is another one than the log's, forgets the old one as if the study's folder were
/// fresh, and returns what is other about it, for people; else empty. What its trials left is kept
/// in `trials.before-N`. Before `adopt`.
[[nodiscard]] std::string begin_anew(EventLog& log, const StudySpec& study, const StudyData* data,
                                     const base::Path& folder);

}  // namespace hpo
