#include "hpo/driver/networks/tree_size.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "hpo/driver/networks/trial_plan.h"

namespace hpo {

namespace {

/// Trials of a study that only time ends.
constexpr double kUsualTrials = 60;
/// The part of a full training that trials of a study with a stopping rule get, all together.
constexpr double kPartWithRule = 1.0 / 3;

double training_flops(const LoadedStudy& loaded) {
  const PlanPtr plan =
      plan_trial(loaded.study, loaded.params, loaded.data.info, loaded.data.seeds.shuffle, nullptr);
  const std::int32_t folds = data_spec(loaded.study, loaded.params).split.folds;
  return std::max(1, folds) * tasks::train_cost(plan->network->row,
                                                {.from = 0, .to = plan->spec.epochs},
                                                loaded.data.train_rows, plan->spec.hyper.batch)
                                  .value;
}

double trials_of(const StudySpec& study) {
  if (study.limits.trials) return static_cast<double>(*study.limits.trials);
  if (study.space.size() == 0) return 1;
  const auto points = study.space.grid_size();
  return points ? static_cast<double>(*points) : kUsualTrials;
}

std::optional<TreePlan> without_library() {
  if (!nn::trees_library().empty()) return {};
  return TreePlan{.reason = "the library XGBoost is not installed"};
}

}  // namespace

TreePlan tree_plan(const nn::TreeTable& table, double study_flops) {
  const double most = kTreeShare * study_flops;
  nn::TreeSize size = nn::kLeastTrees;
  const double least = nn::tree_flops(table, size);
  if (least <= most) {
    const double rounds = static_cast<double>(size.rounds) * most / std::max(least, 1.0);
    size.rounds = static_cast<std::int64_t>(std::min(rounds, static_cast<double>(kMostRounds)));
  } else {
    const auto left = [&] { return most / nn::tree_flops(table, size); };
    size.row_share = kRowShare;
    const double columns = static_cast<double>(table.cols) * left();
    if (left() < 1 && table.cols > kFewestColumns)
      size.columns = std::max(kFewestColumns, static_cast<std::uint64_t>(columns));
    const double rows = static_cast<double>(table.rows) * left();
    if (left() < 1 && table.rows > kFewestRows)
      size.rows = std::max(kFewestRows, static_cast<std::uint64_t>(rows));
  }
  return {.size = size, .share = nn::tree_flops(table, size) / std::max(study_flops, 1.0)};
}

std::string times_text(double share) {
  constexpr double kWhole = 100;  // beyond it three digits would need an exponent
  return base::cat(share < kWhole ? base::with_digits(share, 3) : base::cat(std::llround(share)),
                   " times");
}

TreePlan trees_of_sweep(const LoadedStudy& loaded) {
  if (auto none = without_library()) return *std::move(none);
  const double part = loaded.study.early_stop.kind == "none" ? 1 : kPartWithRule;
  return tree_plan(nn::tree_table(loaded.data.value.get()),
                   part * trials_of(loaded.study) * training_flops(loaded));
}

TreePlan trees_of_training(const LoadedStudy& loaded) {
  if (auto none = without_library()) return *std::move(none);
  TreePlan plan = tree_plan(nn::tree_table(loaded.data.value.get()), training_flops(loaded));
  if (plan.share <= 1) return plan;
  return {.reason = base::cat("they would cost ", times_text(plan.share),
                              " the training; a sweep tries them")};
}

}  // namespace hpo
