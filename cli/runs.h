#pragma once
// Where studies lie on disk, and the arguments that say so.

#include <string>
#include <string_view>

#include "base/file.h"
#include "cli/arguments.h"
#include "hpo/log/study_reader.h"

namespace cli {

/// Declares `--dir D`, shared by every verb that reads or writes studies.
void declare_dir(Arguments& arguments);
/// Whether `path` is a file that is called like a study file.
[[nodiscard]] bool is_study_file(const base::Path& path);
/// The folder that holds the studies: --dir, or "runs".
[[nodiscard]] base::Path runs_folder(const Arguments& arguments);

/// Declares RUN and --dir.
void declare_run(Arguments& arguments);
/// Opens the study that RUN names.
[[nodiscard]] hpo::StudyReader open_run(const Arguments& arguments);
/// "no trial of NAME has a value", of a study that goes on "yet".
[[nodiscard]] std::string no_value(const hpo::StudyReader& run);

/// Declares TRIAL.
void declare_trial(Arguments& arguments);
/// The trial of `run` that `word` names: a number, or `best`. `what` names the argument in
/// messages. Throws base::Error (usage) when there is none.
[[nodiscard]] hpo::TrialRow trial_of(const hpo::StudyReader& run, const std::string& word,
                                     std::string_view what);
/// The same for a trial that is to run again: throws too where its params alone do not give its
/// network, because it took over another trial's.
[[nodiscard]] hpo::TrialRow trial_to_repeat(const hpo::StudyReader& run, const std::string& word,
                                            std::string_view what);

/// Writes `text` to stdout, with a line end. Throws base::Error (storage) when it cannot be
/// written.
void print_result(std::string_view text);

/// Declares `--json`.
void declare_json(Arguments& arguments);
/// Prints what a verb found: `json()` for programs when --json was given, else `text()` for people.
template <class Json, class Text>
void print_view(const Arguments& arguments, Json json, Text text) {
  print_result(arguments.has("--json") ? json() : text());
}

}  // namespace cli
