#pragma once
// Studies of Optuna, from what one of its storages holds.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "hpo/import/imported.h"
#include "hpo/import/optuna_storage.h"
#include "hpo/log/event.h"
#include "hpo/study/spec.h"

namespace hpo {

/// A trial of another tool, with its params in the words of our file.
struct ImportedTrial {
  Params params;
  TrialState state = TrialState::complete;
  std::vector<double> values;              ///< of the study's metrics; empty: it has none
  std::map<std::int64_t, double> reports;  ///< of the only metric, by step
  Metrics constraints = {};                ///< what `subject_to` bounds, known at the end
  Metrics metrics = {};                    ///< other numbers, known at the end
  double seconds = 0;                      ///< from its beginning to its end
};

/// Whether the trial's first value is infinite on the side where it would beat all others: as where
/// a value is told, that is no result.
[[nodiscard]] bool is_too_good(const ImportedTrial& trial, Goal goal);

struct ImportedStudy : Imported {
  std::size_t ended = 0;              ///< trials of theirs
  std::vector<ImportedTrial> trials;  ///< those of them that may be points of the study's space
};

/// The study `name` of a storage; empty: its only one. A study to ask (hpo/study/asked.h). `file`
/// is the storage's name in messages. Throws base::Error (data): no such study, what no study file
/// can say.
[[nodiscard]] ImportedStudy import_optuna(const OptunaStorage& storage, const std::string& file,
                                          const std::string& name);

/// Begins a study of these trials in `folder`, which must have none. Throws as adopt does.
void write_imported(const StudySpec& study, const std::vector<ImportedTrial>& trials,
                    const base::Path& folder);

}  // namespace hpo
