#pragma once
// Every stopping rule there is: `early_stop: NAME` or `early_stop: {type: NAME, option: value}`.

#include <memory>
#include <span>
#include <string_view>

#include "hpo/space/chosen.h"
#include "hpo/stopping/rule.h"

namespace hpo {

/// What a file pair of this folder offers to the registry.
struct StoppingKind {
  base::KindInfo info;
  std::unique_ptr<StoppingRule> (*make)(const RuleSetup& setup);
  bool combines = false;  ///< it is made from other rules
};

/// All kinds, in the order of the registry. Valid for the life of the process; any thread.
[[nodiscard]] std::span<const base::KindInfo> stopping_kinds();

/// The kind of that name; null when there is none.
[[nodiscard]] const StoppingKind* find_stopping_kind(std::string_view kind);

/// A rule of that kind; null when there is no such kind.
[[nodiscard]] std::unique_ptr<StoppingRule> make_stopping_rule(std::string_view kind,
                                                               const RuleSetup& setup);

}  // namespace hpo
