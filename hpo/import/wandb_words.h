#pragma once
// A W&B sweep file as Python's reader of YAML 1.1 understands its words.

#include "hpo/import/imported.h"
#include "hpo/study/node.h"

namespace hpo::wandb {

/// Puts bools and numbers of YAML 1.1 below the keys that hold values into words that mean the same
/// in a study file. Notes each that means something else there.
void read_words_as_python(study::Node& root, ImportNotes& notes);

}  // namespace hpo::wandb
