#pragma once
// A sampler or a stopping rule as a study chose it.

#include <string>
#include <vector>

#include "base/kind.h"
#include "hpo/space/params.h"

namespace hpo {

/// A chosen kind with all its options, defaults filled in.
struct Chosen {
  std::string kind;
  Params options;
  std::vector<Chosen> of = {};  ///< of a kind that combines: the others
  bool operator==(const Chosen&) const = default;
};

/// All options of a kind: as `said`, otherwise their defaults. Throws base::Error (internal) for
/// one that has neither.
[[nodiscard]] Params options_of(const base::KindInfo& kind, const Params& said = {});

}  // namespace hpo
