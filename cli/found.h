#pragma once
// What `check` found in a study, section by section.

#include <string>

#include "base/file.h"
#include "cli/sheet.h"
#include "hpo/driver/networks/loaded_study.h"
#include "hpo/study/spec.h"

namespace cli {

/// The table or the images: rows and parts, target, inputs, what is left out, doubtful points.
void add_data(Sheet& sheet, const hpo::LoadedStudy& loaded);

/// What is searched, how, and by which metric. Reads the studies of `warm_start`.
void add_search(Sheet& sheet, const hpo::StudySpec& study);

/// What a sweep of networks computes, where that can be foretold in a moment.
void add_cost(Sheet& sheet, const hpo::LoadedStudy& loaded);

/// What a sweep of the file will do, and in which folder.
void add_next(Sheet& sheet, const hpo::StudySpec& study, const std::string& sweep,
              const base::Path& folder);

/// "4 complete, 1 stopped" of the study that `folder` holds; empty where it holds none.
[[nodiscard]] std::string begun_text(const base::Path& folder);

}  // namespace cli
