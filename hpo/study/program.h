#pragma once
// The programs that a study file names.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "hpo/study/node.h"

namespace hpo::study {

/// The program that the first word of `key` ("command") names, seen from a folder. Throws a
/// StudyError with the nearest name in PATH where there is none that may be run.
[[nodiscard]] std::string find_program(const Node& word, const std::string& folder,
                                       const std::string& key);

/// A folder without a slash at its end.
[[nodiscard]] std::string shown_folder(const std::string& folder);

/// Throws a StudyError where `command` gives an interpreter, such as python3 or sh, a script that
/// is not there, seen from `folder`. A word with a parameter in it is none that anybody knows.
void require_script(const Node& command, const std::string& folder);

/// The folders below `root` that `has` holds for, at most two: one is a guess, two are none. Hidden
/// folders, those of installed packages and what lies deeper than five levels are not looked at.
[[nodiscard]] std::vector<std::filesystem::path> folders_below(
    const std::filesystem::path& root,
    const std::function<bool(const std::filesystem::path&)>& has);

}  // namespace hpo::study
