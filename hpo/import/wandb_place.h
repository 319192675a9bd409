#pragma once
// Where W&B finds the program of a sweep: in the folder in which its agent is called.

#include <string>
#include <vector>

#include "base/file.h"
#include "hpo/import/imported.h"
#include "hpo/study/node.h"

namespace hpo {

/// Folders, absolute.
struct ImportPlaces {
  base::Path sweep;    ///< of the sweep file
  base::Path working;  ///< where the import was called
  base::Path study;    ///< of the study file

  /// Those of a sweep file at this path whose study file is to stand in the working folder.
  [[nodiscard]] static ImportPlaces of(const std::string& file);
};

namespace wandb {

/// The script or module that a command runs, as the command names it.
struct ProgramName {
  std::string text;
  bool module = false;  ///< behind `python -m`
};

/// The folder from which the program is seen: that of the sweep file, the working one or the root
/// of the repository around either, the first that has it; else the only one below the root.
struct ProgramPlace {
  bool found = false;
  bool only = false;                ///< it is a guess: no other folder below the root has it
  std::string folder;               ///< as the study file says it; empty: the study file's own
  std::vector<std::string> looked;  ///< the folders, as people know them
};
[[nodiscard]] ProgramPlace place_of(const ProgramName& program, const ImportPlaces& places);

/// Puts paths of another machine, /srv/repo/src/train.py or .\train.py, as the program and in
/// the command of a sweep file, into what they are here, where a file lies at their end:
/// src/train.py. Notes each.
void find_paths_here(study::Node& sweep, const ImportPlaces& places, ImportNotes& notes);

}  // namespace wandb

}  // namespace hpo
