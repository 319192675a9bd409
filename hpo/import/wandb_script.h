#pragma once
// What a script of W&B asks of W&B's library that is otherwise here.

#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "hpo/import/wandb_place.h"

namespace hpo::wandb {

struct ScriptUse {
  bool ours = false;                     ///< it reports to Trellis itself
  bool agent = false;                    ///< it starts a sweep of its own, on W&B's server
  std::vector<std::string> logged = {};  ///< names that it gives to wandb.log, in their order
};

/// The file of a script or module that is seen from `folder`; empty if it has none of its own.
[[nodiscard]] base::Path script_of(const ProgramName& program, const base::Path& folder);

/// Reads a script; of one that is missing, larger than a MiB or made for Trellis nothing is told.
[[nodiscard]] ScriptUse use_in(const base::Path& script);
/// The same of its text.
[[nodiscard]] ScriptUse use_in_text(std::string_view text);

}  // namespace hpo::wandb
