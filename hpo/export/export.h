#pragma once
// A study as text for other programs: the shapes are a contract (versioned with the program, tested
// byte for byte).
//
// Numbers are the shortest decimal text that reads back as the same double. JSON has no NaN: NaN
// and infinities are the texts "nan", "inf", "-inf"; csv has the same words without quotes. A value
// that does not exist is null in JSON and empty in csv. Where the study has `subject_to`,
// `violation` stands behind a trial's `value`: by how much it breaks the bounds, 0 where it breaks
// none. Where it searches for several metrics, `front` behind that says whether the trial is on the
// front. csv follows RFC 4180 with "\n" ends; texts with comma, quote or line end are quoted.

#include <optional>
#include <string>
#include <vector>

#include "hpo/log/study_reader.h"
#include "hpo/log/trial_front.h"

namespace hpo {

/// How a study's trials stand to each other.
struct Judge {
  explicit Judge(const StudyReader& study);
  Objective objective;
  std::optional<TrialFront> front = {};  ///< with several metrics
};

struct ExportOptions {
  /// Adds attempts and seconds: what differs between two runs with equal results.
  bool times = false;
};

/// One line a trial in trial order, after a header line: trial, state, cause, value,
/// params.<name>... (order of the space), metrics.<name>... (ascending), step, epochs, parent [,
/// attempts, seconds].
[[nodiscard]] std::string export_csv(const StudyReader& study, const ExportOptions& options = {});

/// {"study", "metric", "goal", "trials": [one object a line, the fields of `trials_json` less
/// attempts and seconds]}.
[[nodiscard]] std::string export_json(const StudyReader& study, const ExportOptions& options = {});

/// With several metrics `best` and `status` have `front` too: {"metrics": [names], "hypervolume",
/// "trials": [numbers, by the first metric]}, and `best` is the first of them.
///
/// `best RUN --json`: {"study", "trial", "state", "metric", "value", "params", "metrics", "model",
/// "flops": {"train", "inference"}, "verdict", "calibration"}; "model", "verdict"
/// (hpo/log/verdict.h) and "calibration" (hpo/log/calibration.h) are null before the model is
/// written. Empty text when no trial is usable.
[[nodiscard]] std::string best_json(const StudyReader& study);

/// Which trials are shown, and in which order.
struct TrialChoice {
  bool front = false;     ///< those on the front alone
  std::string sort = "";  ///< a metric searched for (best first), another one or a parameter
                          ///< (ascending); empty: by number
};

/// The trials of a study by a choice. Throws base::Error (usage) for a name that is neither a
/// metric that a trial has nor a parameter.
[[nodiscard]] std::vector<TrialRow> chosen_trials(const StudyReader& study,
                                                  const TrialChoice& choice);

/// `trials RUN --json`: a list of {"trial", "state", "cause", "value", "params", "metrics", "step",
/// "epochs", "attempts", "seconds", "parent"}.
[[nodiscard]] std::string trials_json(const StudyReader& study, const TrialChoice& choice = {});

/// One entry of `trials_json`.
[[nodiscard]] std::string trial_json(const TrialRow& trial, const Judge& judge);

/// `status RUN --json`: {"state", "trials": {"complete", "running", "stopped", "failed",
/// "waiting"}, "best", "work", "workers"}; "best" is {"trial", "value"} or null.
[[nodiscard]] std::string status_json(const StudyReader& study);

}  // namespace hpo
