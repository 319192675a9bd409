#pragma once
// Trials of earlier studies that a search knows from the start. They are read once, when a study
// begins, and kept in its log: what becomes of the other study's folder later plays no part.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "hpo/log/event_log.h"
#include "hpo/search/known.h"
#include "hpo/study/spec.h"

namespace hpo {

/// Under which name the log keeps them.
inline constexpr const char* kKnownFact = "warm_start";

/// What one earlier study gave.
struct WarmStart {
  std::string run;         ///< as the study file names it
  std::size_t ended = 0;   ///< trials that it has the end of
  std::vector<Known> fit;  ///< those with a value of the space for each parameter that is active
};

/// Reads what `study`, which is settled, starts from. Throws base::Error (study) at the place in
/// its file where there is no study or one with another metric; storage when it cannot be read.
[[nodiscard]] std::vector<WarmStart> read_warm_starts(const StudySpec& study);

/// One line for people about each: `warm_start ../runs/a: 58 of 60 trials fit`.
[[nodiscard]] std::string text_of(const WarmStart& start);

/// A JSON list and back; storage where a text is none.
[[nodiscard]] std::string json_of(const std::vector<Known>& known);
[[nodiscard]] std::vector<Known> known_from_json(std::string_view json);

/// Those that the log of an adopted study has.
[[nodiscard]] std::vector<Known> known_of(const EventLog& log);

}  // namespace hpo
