#include "hpo/stopping/auto.h"

#include "hpo/stopping/asha.h"
#include "hpo/stopping/options.h"

namespace hpo {

namespace {

constexpr std::int64_t kAutoEta = 2;

}  // namespace

StoppingKind auto_rule() {
  return {.info = {.kind = "auto",
                   .doc = "`asha` that pauses and promotes, with rungs close together. A rung "
                          "stops no trial as long as later rungs reverse its ranking.",
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
