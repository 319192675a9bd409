#pragma once
// How all studies under a folder stand, for the list and for other programs.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "hpo/report/list_page.h"

namespace hpo::serve {

/// Thread-safe. Threads of its own look at the folders, one after another. One that hangs is left
/// alone until it answers; another thread goes on with the rest.
class StudyList {
 public:
  /// `folder`: has a folder for each study. `only`: the name of the one study of it that counts.
  StudyList(base::Path folder, std::optional<std::string> only);
  ~StudyList();
  StudyList(const StudyList&) = delete;
  StudyList& operator=(const StudyList&) = delete;

  /// All studies by name, as they stood at most a second ago. Waits at most so long; then those
  /// that did not answer are silent.
  [[nodiscard]] std::vector<StudySummary> summaries(base::Duration patience);

  /// The folder of a study, if there is one of exactly this name.
  [[nodiscard]] std::optional<base::Path> folder_of(const std::string& name,
                                                    base::Duration patience);

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hpo::serve
