#include "hpo/driver/networks/judging.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/words.h"
#include "hpo/driver/networks/folded_work.h"
#include "hpo/log/metrics.h"
#include "hpo/study/goals.h"
#include "hpo/study/metric_names.h"
#include "nn/evaluation/boosted_trees.h"
#include "nn/losses/loss.h"
#include "nn/metrics/metric.h"
#include "tasks/judging.h"

namespace hpo {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kValid = "valid.";
/// Fewer independent rows say hardly anything, whatever an interval says.
constexpr std::int64_t kFewUnits = 30;
/// A score of the search that is so many standard errors better than that of the test is not
/// chance.
constexpr double kErrorsApart = 2;

std::string number(double x) { return base::with_digits(x, 3); }

const BaselineRow* best_of(const std::vector<BaselineRow>& rows, const std::string& metric) {
  const bool more = study::is_maximized(metric);
  const BaselineRow* best = nullptr;
  double ahead = kNone;
  for (const BaselineRow& row : rows) {
    const double* value = find_metric(row.metrics, metric);
    if (value == nullptr || std::isnan(*value)) continue;
    const bool better = more ? *value > ahead : *value < ahead;
    if (best != nullptr && !better) continue;
    best = &row;
    ahead = *value;
  }
  return best;
}

/// What the baseline is called in a sentence: "always answering 'no'".
std::string spoken(const std::string& baseline, const nn::Dataset& data) {
  const nn::LearningTask task = data.header().task;
  if (baseline != nn::name_of(nn::Baseline::constant, task)) return baseline;
  if (task == nn::LearningTask::regression) return "always answering the mean";
  std::vector<std::size_t> rows(data.classes(), 0);
  for (const std::uint32_t row : data.part(nn::Part::train))
    ++rows[static_cast<std::size_t>(data.labels()[row])];
  const auto most = static_cast<std::size_t>(std::ranges::max_element(rows) - rows.begin());
  return base::cat("always answering '", base::printable(data.header().class_names[most], 40), "'");
}

/// The standard error of the winner's score on the validation part, or over the folds.
double search_error(const StudySpec& study, const Winner& winner,
                    const std::optional<nn::Estimate>& validated) {
  if (validated) return validated->error;
  const double* spread = find_metric(winner.trial.metrics, base::cat(study.metric.name, ".spread"));
  const std::int32_t folds = data_spec(study, winner.trial.params).split.folds;
  return spread == nullptr || folds < 1 ? kNone : *spread / std::sqrt(static_cast<double>(folds));
}

/// Complete trials that the rows of the validation part cannot tell from the winner.
std::vector<const TrialRow*> ties_of(const TrialRow& winner, const TrialTable& trials,
                                     double error) {
  std::vector<const TrialRow*> ties;
  const Objective& objective = trials.objective();
  const double bound =
      objective.loss(winner.value.value_or(kNone)) + (std::isnan(error) ? 0 : error);
  for (const TrialRow& row : trials.rows()) {
    if (row.state != TrialState::complete || !row.value) continue;
    const bool feasible = objective.violation(row.metrics) <= objective.violation(winner.metrics);
    if (feasible && objective.loss(*row.value) <= bound) ties.push_back(&row);
  }
  return ties;
}

std::string text_of_ties(const TrialRow& winner, const std::vector<const TrialRow*>& ties,
                         const WeightsOf& weights_of) {
  if (ties.size() < 2) return "";
  const std::size_t others = ties.size() - 1;
  std::string out = base::cat("; ", base::counted(others, "other trial"),
                              others == 1 ? " is" : " are", " within one standard error of it");
  const std::uint64_t own = weights_of(winner);
  const TrialRow* smallest = nullptr;
  std::uint64_t fewest = own;
  for (const TrialRow* row : ties) {
    const std::uint64_t weights = weights_of(*row);
    if (weights >= fewest) continue;
    smallest = row;
    fewest = weights;
  }
  if (smallest != nullptr)
    out += base::cat(others == 1 ? " (trial " : " (the smallest network: trial ", smallest->trial,
                     ", with ", fewest, " weights instead of ", own, ")");
  return out;
}

std::string text_of_difference(const nn::Difference& difference, const std::string& metric) {
  return base::cat(number(difference.value), " in ", metric, " on ",
                   base::counted(difference.rows, "unseen row"), " (95%: ", number(difference.low),
                   " to ", number(difference.high), ")");
}

/// What is to be known about trees as an opponent: that there were none, or how small they are.
std::string text_of_trees(const TreePlan& plan, const std::vector<BaselineRow>& rows,
                          std::uint64_t train_rows, std::size_t inputs) {
  const bool tried = std::ranges::find(rows, nn::kBoostedTrees, &BaselineRow::name) != rows.end();
  if (!tried)
    return base::cat("; ", nn::kBoostedTrees, " were not tried: ",
                     plan.reason.empty() ? "they could not be fitted" : plan.reason);
  std::string out;
  if (plan.size && plan.size->rows > 0 && plan.size->rows < train_rows)
    out += base::cat("; the trees saw ", plan.size->rows, " of ", train_rows, " training rows");
  if (plan.size && plan.size->columns > 0 && plan.size->columns < inputs)
    out += base::cat("; the trees saw ", plan.size->columns, " of ", inputs, " inputs");
  if (plan.share > kTreeShare)
    out += base::cat(
        "; fitting the trees took ",
        plan.share > 1 ? times_text(plan.share) : base::cat(number(100 * plan.share), "% of"),
        " the work that was planned for the search");
  return out;
}

/// Doubts that the interval does not express.
std::string text_of_doubts(const nn::Difference& difference, const std::string& metric,
                           bool maximize, const nn::Estimate& searched,
                           const nn::Estimate& tested) {
  std::string out;
  if (difference.units < kFewUnits) {
    const bool rows = difference.units == difference.rows;
    out += base::cat("; ", difference.units, rows ? " unseen rows" : " independent groups of rows",
                     " are too few to be sure");
  }
  const double ahead = (maximize ? 1 : -1) * (searched.value - tested.value);
  if (ahead > kErrorsApart * std::hypot(searched.error, tested.error))
    out += base::cat("; the search saw ", metric, " = ", number(searched.value), ", unseen rows ",
                     number(tested.value), ": more than chance");
  return out;
}

rt::Value<nn::Answers> answers_of(const Winner& winner, nn::Part part) {
  const StudyData& data = *winner.data;
  const std::uint64_t rows = part == nn::Part::test ? data.test_rows : data.valid_rows;
  return tasks::answers(winner.net, data.value, part, winner.plan->spec.hyper.loss,
                        tasks::evaluate_cost(winner.model, rows));
}

}  // namespace

void answer_unseen(Winner& winner) {
  winner.validated = answers_of(winner, nn::Part::valid);
  winner.tested = answers_of(winner, nn::Part::test);
}

std::string judged_metric(const StudySpec& study, nn::LearningTask task) {
  for (const Metric& metric : study::metrics_of(study)) {
    if (metric.name.starts_with(kValid) && metric.name != study::kLatency)
      return metric.name.substr(kValid.size());
  }
  return task == nn::LearningTask::classification ? "accuracy" : "rmse";
}

rt::Async<std::optional<Calibrated>> calibrate(const StudySpec& study, Winner& winner) {
  const StudyData& data = *winner.data;
  if (data.info.task != nn::LearningTask::classification) co_return std::nullopt;
  if (!winner.calibration) {
    if (data.valid_rows == 0) co_return std::nullopt;
    const rt::Value<nn::Calibration> fitted =
        tasks::calibrate(tasks::labelled(winner.validated, data.value, nn::Part::valid),
                         judged_metric(study, data.info.task));
    winner.calibration = co_await fitted;
  }
  const std::vector<std::string>& classes = data.value.get().header().class_names;
  Calibrated calibrated{.temperature = winner.calibration->temperature,
                        .threshold = winner.calibration->threshold,
                        .of_class = classes.size() == 2 ? classes[1] : ""};
  if (data.test_rows == 0) co_return calibrated;
  const rt::Value<tasks::Figures> figures =
      tasks::calibration_figures(winner.tested, data.value, nn::Part::test, *winner.calibration);
  for (const auto& [name, value] : co_await figures)
    calibrated.metrics.emplace_back(base::cat("test.", name), value);
  co_return calibrated;
}

rt::Async<std::vector<NamedEstimate>> estimates_of(const Winner& winner) {
  const StudyData& data = *winner.data;
  std::vector<NamedEstimate> out;
  if (data.test_rows == 0) co_return out;
  const nn::Choice& loss = winner.plan->spec.hyper.loss;
  std::vector<std::pair<std::string, rt::Value<nn::Estimate>>> begun;
  const auto begin = [&](const std::string& metric) {
    begun.emplace_back(metric,
                       tasks::estimate(winner.tested, data.value, nn::Part::test, metric, loss));
    begun.back().second.demand();
  };
  begin("loss");
  for (const nn::Metric* metric : nn::metrics())
    if (metric->target == nn::target_kind(loss.kind)) begin(std::string(metric->name));
  for (auto& [name, value] : begun) out.emplace_back(base::cat("test.", name), co_await value);
  co_return out;
}

rt::Async<Verdict> judge(const StudySpec& study, Winner winner, const Baselines& baselines,
                         const TrialTable& trials, WeightsOf weights_of) {
  const StudyData& data = *winner.data;
  const nn::Dataset& table = data.value.get();
  const std::string metric = judged_metric(study, data.info.task);
  const std::string valid = base::cat(kValid, metric);
  const nn::Choice& loss = winner.plan->spec.hyper.loss;
  std::optional<nn::Estimate> validated;
  if (data.valid_rows > 0) {
    const rt::Value<nn::Estimate> estimate =
        tasks::estimate(winner.validated, data.value, nn::Part::valid, metric, loss);
    validated = co_await estimate;
  }
  const double error = search_error(study, winner, validated);
  // The error is in the unit of the judged metric, which is not always what trials compare by.
  const std::vector<const TrialRow*> ties =
      ties_of(winner.trial, trials, study.metric.name == valid ? error : kNone);
  Verdict verdict{.within_noise = std::ssize(ties)};
  rt::Async<void> comparing = baselines.ready();
  co_await std::move(comparing);
  const std::vector<BaselineRow> rows = baselines.rows();
  const BaselineRow* best = best_of(rows, valid);
  const std::string tied = text_of_ties(winner.trial, ties, weights_of);
  if (best != nullptr) verdict.baseline = best->name;
  if (data.test_rows == 0 || best == nullptr) {
    verdict.text =
        base::cat("not judged: ", data.test_rows == 0 ? "no unseen rows" : "no baseline", tied);
    co_return verdict;
  }
  const rt::Value<nn::Answers>& ours = winner.tested;
  const rt::Value<nn::Answers> theirs = baselines.answers(best->name, data, nn::Part::test);
  const rt::Value<nn::Difference> compared =
      tasks::compare(ours, theirs, data.value, nn::Part::test, metric, loss);
  const rt::Value<nn::Estimate> estimated =
      tasks::estimate(ours, data.value, nn::Part::test, metric, loss);
  const nn::Difference difference = co_await compared;
  const nn::Estimate tested = co_await estimated;
  verdict.rows = difference.rows;
  const std::string opponent = spoken(best->name, table);
  if (std::isnan(difference.low)) {
    verdict.text = base::cat("not judged against ", opponent, ": ",
                             difference.units < 2 ? "all unseen rows belong together"
                                                  : base::cat(metric, " is not a number there"),
                             tied);
    co_return verdict;
  }
  verdict.beats = difference.low > 0;
  verdict.difference = difference.value;
  verdict.low = difference.low;
  verdict.high = difference.high;
  const std::string amount = text_of_difference(difference, metric);
  if (*verdict.beats) {
    verdict.text = base::cat("better than ", opponent, " by ", amount);
  } else {
    // That nothing is better than a constant answer says more, unless the opponent is.
    const std::string constant(nn::name_of(nn::Baseline::constant, data.info.task));
    const rt::Value<nn::Difference> plain =
        tasks::compare(ours, baselines.answers(constant, data, nn::Part::test), data.value,
                       nn::Part::test, metric, loss);
    const bool beaten = difference.high < 0 || constant == best->name;
    const bool learnt = beaten || (co_await plain).low > 0;
    verdict.text = base::cat("not better than ", learnt ? opponent : spoken(constant, table),
                             learnt ? "" : base::cat(", nor than ", opponent),
                             ": do not use it; the difference is ", amount);
  }
  const double* seen = find_metric(winner.trial.metrics, valid);
  verdict.text +=
      text_of_doubts(difference, metric, study::is_maximized(valid),
                     {.value = seen == nullptr ? kNone : *seen, .error = error}, tested);
  for (const std::string& doubt : table.header().doubts) verdict.text += base::cat("; ", doubt);
  verdict.text += text_of_trees(baselines.trees(), rows, data.train_rows, table.cols()) + tied;
  co_return verdict;
}

}  // namespace hpo
