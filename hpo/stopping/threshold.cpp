#include "hpo/stopping/threshold.h"

#include "hpo/stopping/options.h"

namespace hpo {

namespace {

class Threshold final : public StoppingRule {
 public:
  explicit Threshold(const RuleSetup& setup)
      : max_step_(setup.max_step), min_(int_option(setup, "min", kDefaultMin)) {
    const double worst = number_option(setup, "worst", 0);
    highest_ = setup.maximize ? -worst : worst;
  }

  bool decides(std::int64_t, std::int64_t step) const override {
    return step >= min_ && step < max_step_;
  }

  Decision reported(std::uint64_t, std::int64_t step, double loss) override {
    return decides(0, step) && !(loss <= highest_) ? Decision::stop : Decision::go;
  }

 private:
  std::int64_t max_step_, min_;
  double highest_ = 0;  ///< loss that goes on
};

}  // namespace

StoppingKind threshold_rule() {
  base::FieldInfo worst{.name = "worst",
                        .type = base::FieldType::real,
                        .doc = "Worst value of the metric with which a trial continues."};
  base::FieldInfo min = base::integer_field(
      "min", kDefaultMin, 1, "epochs", "Training of a trial before its value counts, in `unit`.");
  return {.info = {.kind = "threshold",
                   .doc = "Stops a trial whose value is worse than a fixed threshold.",
                   .fields = {std::move(worst), std::move(min)}},
          .make = [](const RuleSetup& setup) -> std::unique_ptr<StoppingRule> {
            return std::make_unique<Threshold>(setup);
          }};
}

}  // namespace hpo
