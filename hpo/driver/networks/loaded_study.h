#pragma once
// A study together with its data: where every verb begins that looks at both.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hpo/driver/networks/network_work.h"
#include "hpo/study/spec.h"
#include "runtime/place/device_model.h"

namespace hpo {

struct LoadedStudy {
  StudySpec study;       ///< settled
  StudyData data;        ///< there
  Params params;         ///< what the data was loaded for
  TrialResources asked;  ///< by the trial of `params`
  /// What was guessed, filled in or left out while the data was read, a sentence each; then the
  /// faults of the data, then what is odd about the rest of the study.
  std::vector<std::string> notes;
  std::size_t data_notes = 0;  ///< of these, the first ones
  std::size_t doubts = 0;      ///< those behind them
};

/// Loads the data of `study` as a trial with `params` sees it, settles the study, and makes that
/// trial's network on paper. Needs a rt::Runtime. Throws base::Error: data (a file), study (what
/// does not fit together).
[[nodiscard]] LoadedStudy load_settled(const StudySpec& study, const Params& params);

/// The same for the middle of the space: which data a study has hardly ever depends on the trial.
[[nodiscard]] LoadedStudy load_settled(const StudySpec& study);

/// Throws base::Error (study) where `file`, which is about to be written, is the model that goes
/// on.
void require_other_model(const LoadedStudy& loaded, const std::filesystem::path& file);

/// Slots of the search: what the study says, or with `parallel: auto` as many of its trials as
/// `workers` and `gpus` hold at once, at least 1.
[[nodiscard]] std::int64_t slots_of(const StudySpec& study, const TrialResources& asked,
                                    int workers, int gpus);
/// The same on a platform, where whoever computes on a GPU has a core of its own for that.
[[nodiscard]] std::int64_t slots_on(const rt::Platform& platform, const LoadedStudy& loaded);

}  // namespace hpo
