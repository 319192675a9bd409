#include "hpo/stopping/auto.h"

#include "hpo/stopping/asha.h"
#include "hpo/stopping/options.h"

namespace hpo {

namespace {

constexpr std::int64_t kAutoEta = 2;

}  // namespace

StoppingKind auto_rule() {
  return {.info = {.kind = "auto",
                   .doc = "`asha` that pauses and promotes, with rungs close together. A rung lets "
                          "all trials pass while its order of trials is reversed later on.",
                   .fields = {first_rung_option(kDefaultMin), eta_option(kAutoEta)}},
          .make = [](const RuleSetup& setup) {
            return make_asha({.max = setup.max_step,
                              .min = int_option(setup, "min", kDefaultMin),
                              .eta = int_option(setup, "eta", kAutoEta),
                              .promote = true,
                              .doubt = true,
                              .watch = true});
          }};
}

}  // namespace hpo
