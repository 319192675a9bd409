#pragma once
// Who takes part in the races of policies that try what there is.

#include <cstdint>
#include <string>
#include <vector>

#include "nn/adapt/policy.h"

namespace nn {

/// Which changes a race tries.
struct Entrants {
  bool widen = true, deepen = false, shrink = true;
  bool operator==(const Entrants&) const = default;
};

/// What ends the races of a policy, and what Contest and Judge read, in the order of the reference
/// page.
[[nodiscard]] std::vector<FieldInfo> contest_fields();

/// What a policy's races try; a value.
class Contest {
 public:
  /// `adaptation` is complete and its policy has contest_fields().
  explicit Contest(const Adaptation& adaptation);

  /// Throws SpecError in the name of the policy unless there is something to try.
  void check(const ModelSpec& spec, const std::string& policy) const;

  /// What to try on `spec`: each layer wider, all of them wider, each deeper, each narrower, all of
  /// them narrower, as far as `which` and the fields say, the network allows it and max_weights has
  /// room. In a network with one layer, that is all of them. Of each layer `factor` times or a
  /// `factor`-th of its units.
  [[nodiscard]] std::vector<Operations> entrants(const ModelSpec& spec,
                                                 const Entrants& which) const;

 private:
  std::uint64_t max_weights_;
  Entrants allowed_;
  bool each_, all_;
  double factor_;
};

}  // namespace nn
