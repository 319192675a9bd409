#include "hpo/stopping/percentile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hpo/stopping/options.h"

namespace hpo {

namespace {

constexpr double kPercentile = 25;
constexpr std::int64_t kStartup = 5;
constexpr std::int64_t kEvery = 1;

/// A trial's reports: (step, loss), in ascending order of steps.
using Curve = std::vector<std::pair<std::int64_t, double>>;

/// What was last reported at or before a step.
std::optional<double> loss_by(const Curve& curve, std::int64_t step) {
  auto after = std::ranges::upper_bound(curve, step, {}, &Curve::value_type::first);
  if (after == curve.begin()) return std::nullopt;
  return std::prev(after)->second;
}

/// The losses that complete trials had by one step, ascending, as far as they were asked for.
struct Column {
  std::vector<double> losses;
  std::size_t seen = 0;  ///< complete trials looked at

  void add(double loss) { losses.insert(std::ranges::upper_bound(losses, loss), loss); }

  [[nodiscard]] double at(double percentile) const {
    const double place = percentile / 100 * static_cast<double>(losses.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const double low = losses[below], high = losses[std::min(below + 1, losses.size() - 1)];
    const double share = place - static_cast<double>(below);
    return low == high || share == 0 ? low : low + (high - low) * share;
  }
};

class Percentile final : public StoppingRule {
 public:
  Percentile(const RuleSetup& setup, double percentile)
      : percentile_(percentile),
        max_step_(setup.max_step),
        startup_(static_cast<std::size_t>(int_option(setup, "startup", kStartup))),
        min_(int_option(setup, "min", kDefaultMin)),
        every_(int_option(setup, "every", kEvery)) {}

  bool decides(std::int64_t last, std::int64_t step) const override {
    return step < max_step_ && turns(last) < turns(step);
  }

  Decision reported(std::uint64_t trial, std::int64_t step, double loss) override {
    if (std::isnan(loss)) loss = kWorstLoss;
    Running& running = running_[trial];
    const std::int64_t last = running.curve.empty() ? 0 : running.curve.back().first;
    running.curve.emplace_back(step, loss);
    running.best = std::min(running.best, loss);
    if (!decides(last, step) || complete_.size() < startup_) return Decision::go;
    const Column& column = column_at(step);
    return !column.losses.empty() && running.best > column.at(percentile_) ? Decision::stop
                                                                           : Decision::go;
  }

  void ended(std::uint64_t trial, TrialState state) override {
    if (state == TrialState::failed) return;
    auto running = running_.extract(trial);
    if (state == TrialState::complete && running)
      complete_.push_back(std::move(running.mapped().curve));
  }

 private:
  struct Running {
    Curve curve;
    double best = kWorstLoss;
  };

  /// Columns that are remembered: steps in FLOPs hardly ever come again.
  static constexpr std::size_t kMostColumns = 4096;

  /// How many of the steps at which the rule decides lie at or before this one.
  [[nodiscard]] std::int64_t turns(std::int64_t step) const {
    return step < min_ ? 0 : 1 + (step - min_) / every_;
  }

  const Column& column_at(std::int64_t step) {
    if (columns_.size() >= kMostColumns && !columns_.contains(step)) columns_.clear();
    Column& column = columns_[step];
    for (; column.seen < complete_.size(); ++column.seen) {
      if (const auto loss = loss_by(complete_[column.seen], step)) column.add(*loss);
    }
    return column;
  }

  double percentile_;
  std::int64_t max_step_;
  std::size_t startup_;
  std::int64_t min_, every_;
  std::unordered_map<std::uint64_t, Running> running_;  ///< and those that failed
  std::vector<Curve> complete_;
  std::unordered_map<std::int64_t, Column> columns_;
};

}  // namespace

std::unique_ptr<StoppingRule> make_percentile(const RuleSetup& setup, double percentile) {
  return std::make_unique<Percentile>(setup, percentile);
}

std::vector<base::FieldInfo> comparison_options() {
  return {
      base::integer_field("startup", kStartup, 1, "trials",
                          "Number of complete trials before the rule stops any trial."),
      base::integer_field("min", kDefaultMin, 1, "epochs",
                          "Training of a trial before its first comparison, in `unit`."),
      base::integer_field("every", kEvery, 1, "", "Distance between two comparisons, in `unit`.")};
}

StoppingKind percentile_rule() {
  std::vector<base::FieldInfo> options = comparison_options();
  options.insert(options.begin(), {.name = "percentile",
                                   .type = base::FieldType::real,
                                   .min = 0,
                                   .max = 100,
                                   .value = kPercentile,
                                   .doc = "Percentile of the complete trials, best first. 50 is "
                                          "the median; a lower percentile stops more trials."});
  return {.info = {.kind = "percentile",
                   .doc = "Stops a trial whose best value so far is worse than a percentile of the "
                          "values that complete trials had last reported by the same step.",
                   .fields = std::move(options)},
          .make = [](const RuleSetup& setup) {
            return make_percentile(setup, number_option(setup, "percentile", kPercentile));
          }};
}

}  // namespace hpo
