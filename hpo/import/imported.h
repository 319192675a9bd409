#pragma once
// What an importer makes of another tool's file.

#include <string>
#include <vector>

#include "hpo/study/spec.h"

namespace hpo {

struct Imported {
  std::string yaml;                   ///< a study file, what was left out as comments at its top
  std::vector<std::string> left_out;  ///< a line for people each: what it was, what became of it
};

/// The study that `yaml`, which was made of `file`, describes when it stands in a file called
/// `called`. Throws base::Error (study) that names `file`: nothing may be written that
/// `trellis check` refuses.
[[nodiscard]] StudySpec study_made(const std::string& yaml, const std::string& file,
                                   const std::string& called);

/// The study file `yaml`, which names no study, with a name in it, below the comments at its top.
[[nodiscard]] std::string with_name(const std::string& yaml, const std::string& name);

}  // namespace hpo
