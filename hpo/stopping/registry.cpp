#include "hpo/stopping/registry.h"

#include <array>
#include <vector>

#include "hpo/stopping/asha.h"
#include "hpo/stopping/auto.h"
#include "hpo/stopping/combined.h"
#include "hpo/stopping/halving.h"
#include "hpo/stopping/hyperband.h"
#include "hpo/stopping/median.h"
#include "hpo/stopping/none.h"
#include "hpo/stopping/patience.h"
#include "hpo/stopping/percentile.h"
#include "hpo/stopping/threshold.h"

namespace hpo {

namespace {

const auto& kinds() {
  static const std::array kinds{
      asha_kind(),
      auto_rule_kind(),
      none_kind(),
      hyperband_kind(),
      successive_halving_kind(),
      median_kind(),
      percentile_kind(),
      patience_kind(),
      threshold_kind(),
      any_of_kind(),
      all_of_kind(),
  };
  return kinds;
}

}  // namespace

std::span<const KindInfo> stopping_kinds() {
  static const std::vector<KindInfo> infos = [] {
    std::vector<KindInfo> all;
    for (const StoppingKind& kind : kinds()) all.push_back(kind.info);
    return all;
  }();
  return infos;
}

std::unique_ptr<StoppingRule> make_stopping_rule(std::string_view kind, const RuleSetup& setup) {
  for (const StoppingKind& known : kinds()) {
    if (known.info.name == kind) return known.make(setup);
  }
  return nullptr;
}

}  // namespace hpo
