#pragma once
// Words of a command that stand for all parameters.

#include <string>
#include <string_view>
#include <vector>

#include "hpo/space/params.h"
#include "hpo/space/space.h"
#include "hpo/study/node.h"

namespace hpo::study {

/// Puts `--name=$name` in place of each `$args` in `command`, or what another of these words says,
/// for all parameters of the space that are named nowhere else. Throws a StudyError where such a
/// word is a part of another one, or a parameter's name.
void expand_arguments(Node& root, const Space& space);

/// True for what stands for all parameters of a trial in a command that is otherwise complete: the
/// names after the dollar of `$params_file`, `$params_json` and `$no_args`.
[[nodiscard]] bool stands_for_all(std::string_view name);

/// In the command of a trial, the file of its parameters: its path is known where it runs.
inline constexpr std::string_view kParamsFileMark = "\x1aparams.json\x1a";

/// `params` of a trial with what `$params_file` and `$params_json` are, unless these are names of
/// parameters.
[[nodiscard]] Params with_all(const Params& params, const Space& space);

/// The option of a parameter as `text` of a program spells it, with dashes ("--batch-size"), where
/// `command` has it with underscores; empty: there is none.
[[nodiscard]] std::string dashed_option(std::string_view text, const Node& command,
                                        const Space& space);

/// All names that may follow a dollar in a command besides those of parameters.
[[nodiscard]] std::vector<std::string> names_for_all();

}  // namespace hpo::study
