#pragma once
// The page of all studies under a folder, and the one that asks for a token.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpo/log/study_reader.h"
#include "hpo/report/report.h"

namespace hpo {

/// How a study stands.
struct StudySummary {
  std::string name;        ///< of its folder
  bool is_silent = false;  ///< its folder does not answer: nothing else is known
  bool is_broken = false;  ///< its log cannot be read: likewise
  StudyInfo info = {};
  TrialCounts counts = {};
  std::optional<TrialRow> best = {};
  WorkCounters work = {};
  std::vector<WorkerInfo> workers = {};
  std::int64_t moved = 0;  ///< when its log was written last, microseconds since 1970
};

/// Running studies come first, then those that were written last. `assets`: as of LivePlace. The
/// page of a study is at `s/NAME/`.
[[nodiscard]] std::string list_page(std::span<const StudySummary> studies,
                                    const std::string& assets, const ReportOptions& options);

/// For whoever has not shown the token yet.
[[nodiscard]] std::string login_page(const std::string& assets, const ReportOptions& options);

}  // namespace hpo
