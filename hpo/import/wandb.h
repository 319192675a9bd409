#pragma once
// W&B sweep files (the vocabulary of github.com/wandb/sweeps, config/schema.json).

#include <string>

#include "hpo/import/imported.h"
#include "hpo/import/wandb_place.h"

namespace hpo {

/// `file` is the name in messages; the program is looked for from `places`. Throws base::Error
/// (study) with the place: for a text that is no sweep file, a parameter without values, or what no
/// study file can say.
[[nodiscard]] Imported import_wandb(const std::string& text, const std::string& file,
                                    const ImportPlaces& places);
/// The same, for a study file that is to stand in the working folder.
[[nodiscard]] Imported import_wandb(const std::string& text, const std::string& file);

}  // namespace hpo
