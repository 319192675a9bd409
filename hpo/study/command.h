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
};

/// Throws base::Error (study) with the place in the file when there is no such program, or a word
/// cannot be passed to one.
[[nodiscard]] TrialCommand trial_command(const StudySpec& study, const Params& params);

namespace study {

/// Puts `--name=$name` in place of each `$args` in `command`, for all parameters of the space that
/// are named nowhere else. Throws a StudyError where `$args` is a part of a word, or a parameter's
/// name.
void expand_arguments(Node& root, const Space& space);

/// Throws a StudyError unless the file names its metric and goal, which nobody can guess for a
/// program that is not ours.
void check_named_metric(const StudySpec& study);

/// The rules for fields of a study with a command. Throws a StudyError.
void check_command(const StudySpec& study);

/// Makes the command of trials at the ends of the space, and of each value of a list.
void try_command(const StudySpec& study);

}  // namespace study

}  // namespace hpo
