#include "hpo/stopping/median.h"

#include "hpo/stopping/percentile.h"

namespace hpo {

StoppingKind median_rule() {
  return {.info = {.kind = "median",
                   .doc = "Stops a trial whose best value so far is worse than the median of the "
                          "values that complete trials had last reported by the same step.",
                   .fields = comparison_options()},
          .make = [](const RuleSetup& setup) { return make_percentile(setup, 50); }};
}

}  // namespace hpo
