#pragma once
// Studies whose trials run a program of the user.

#include <string>
#include <vector>

#include "hpo/study/node.h"
#include "hpo/study/spec.h"

namespace hpo {

/// What one trial runs.
struct TrialCommand {
  std::vector<std::string> words;  ///< the program as the file names it, and its arguments
  std::string path;                ///< the executable
  std::string folder;              ///< where it runs, absolute

  /// The words, where the file of the trial's parameters is this one.
  [[nodiscard]] std::vector<std::string> words_with(const std::string& params_file) const;
};

/// Throws base::Error (study) with the place in the file when there is no such program, or a word
/// cannot be passed to one.
[[nodiscard]] TrialCommand trial_command(const StudySpec& study, const Params& params);

/// Throws base::Error (study) with the place in the file where the command gives an interpreter a
/// script that is not there.
void require_script(const StudySpec& study);

namespace study {

/// Throws a StudyError unless the file names its metric and goal, which nobody can guess for a
/// program that is not ours.
void check_named_metric(const StudySpec& study);

/// The rules for fields of a study with a command. Throws a StudyError.
void check_command(const StudySpec& study);

/// Makes the command of trials at the ends of the space, and of each value of a list.
void try_command(const StudySpec& study);

}  // namespace study

}  // namespace hpo
