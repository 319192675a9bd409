#pragma once
// What an importer makes of another tool's file.

#include <string>
#include <vector>

#include "hpo/study/spec.h"

namespace hpo {

/// Lines for people about what is otherwise here, each once.
class ImportNotes {
 public:
  /// "not carried over: WHAT".
  void leave(const std::string& what);
  /// "WHAT became WHAT_HERE; WHY".
  void carry(const std::string& what_here, const std::string& what, const std::string& why = "");
  /// "renamed NAME to NAME_HERE".
  void rename(const std::string& name_here, const std::string& name);
  void add(const ImportNotes& others);

  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  /// The lines as comments of a study file.
  [[nodiscard]] std::string comments() const;

 private:
  void put(std::string line);

  std::vector<std::string> lines_;
};

struct Imported {
  std::string yaml;  ///< a study file, the notes as comments at its top
  ImportNotes notes;
};

/// The study that `yaml`, which was made of `file`, describes when it stands in a file called
/// `called` in `folder` (empty: the current one). Throws base::Error (study) that names `file`:
/// nothing may be written that `trellis check` refuses.
[[nodiscard]] StudySpec study_made(const std::string& yaml, const std::string& file,
                                   const std::string& called, const std::string& folder = "");

/// The study file `yaml`, which names no study, with a name in it, below the comments at its top.
[[nodiscard]] std::string with_name(const std::string& yaml, const std::string& name);

}  // namespace hpo
