#include "hpo/stopping/patience.h"

#include <limits>
#include <unordered_map>

#include "hpo/stopping/options.h"

namespace hpo {

namespace {

constexpr std::int64_t kWait = 5;
constexpr double kMinDelta = 0;

class Patience final : public StoppingRule {
 public:
  explicit Patience(const RuleSetup& setup)
      : max_step_(setup.max_step),
        wait_(int_option(setup, "wait", kWait)),
        min_delta_(number_option(setup, "min_delta", kMinDelta)) {}

  // Where it cannot stop yet it must see the values all the same.
  bool decides(std::int64_t, std::int64_t step) const override { return step < max_step_; }

  Decision reported(std::uint64_t trial, std::int64_t step, double loss) override {
    Best& best = best_[trial];
    if (loss < best.loss - min_delta_) best = {loss, step};
    return step < max_step_ && step - best.step >= wait_ ? Decision::stop : Decision::go;
  }

  void ended(std::uint64_t trial, TrialState state) override {
    if (state != TrialState::failed) best_.erase(trial);
  }

 private:
  struct Best {
    double loss = std::numeric_limits<double>::infinity();
    std::int64_t step = 0;
  };

  std::int64_t max_step_, wait_;
  double min_delta_;
  std::unordered_map<std::uint64_t, Best> best_;  ///< of those that run, or failed
};

}  // namespace

StoppingKind patience_rule() {
  base::FieldInfo wait = base::integer_field("wait", kWait, 1, "epochs",
                                             "Longest training without an improvement, in `unit`.");
  base::FieldInfo min_delta{
      .name = "min_delta",
      .type = base::FieldType::real,
      .min = 0,
      .value = kMinDelta,
      .doc = "Amount that an improvement must exceed, in the metric's own unit."};
  return {.info = {.kind = "patience",
                   .doc = "Stops a trial that no longer improves, whatever the other trials do.",
                   .fields = {std::move(wait), std::move(min_delta)}},
          .make = [](const RuleSetup& setup) -> std::unique_ptr<StoppingRule> {
            return std::make_unique<Patience>(setup);
          }};
}

}  // namespace hpo
