#pragma once
// What a program's library calls the parameters of its study.

#include <map>
#include <string>
#include <vector>

#include "hpo/study/spec.h"

namespace hpo {

/// By the names here: those in the library, from the outermost map on. Parameters with equal names
/// are left out.
[[nodiscard]] std::map<std::string, std::vector<std::string>> config_names(const StudySpec& study);

namespace study {

/// Throws a StudyError for names of what is no parameter, or for a library that has none.
void check_config_names(const StudySpec& study);

}  // namespace study

}  // namespace hpo
