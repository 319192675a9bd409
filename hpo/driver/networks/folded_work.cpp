#include "hpo/driver/networks/folded_work.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "hpo/driver/networks/judging.h"
#include "hpo/driver/networks/past_trial.h"
#include "hpo/driver/networks/trial_plan.h"
#include "hpo/study/metric_names.h"
#include "runtime/on.h"
#include "tasks/judging.h"

namespace hpo {

namespace {

/// Those of the folds that have the metric: of one class there is no AUC. A fold whose loss is no
/// number counts, as NaN.
std::vector<double> defined(const std::vector<Metrics>& folds, const std::string& metric) {
  std::vector<double> values;
  for (const Metrics& fold : folds) {
    const double value = metric_value(fold, metric);
    if (!std::isnan(value) || std::isnan(metric_value(fold, "valid.loss"))) values.push_back(value);
  }
  return values;
}

/// NaN of none.
double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// NaN of fewer than two.
double spread_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (static_cast<double>(values.size()) - 1));
}

/// The place of the middle size, the lower one of two: of equal ones the first.
std::size_t middle_of(const std::vector<double>& sizes) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return sizes[i]; });
  return order[(order.size() - 1) / 2];
}

/// The rounds of the fold whose network has the middle size at their end; `born` is the size of all
/// at their birth.
std::vector<Adapted> middle_rounds(const std::vector<Adapted>& rounds, std::int32_t folds,
                                   double born) {
  std::vector<std::vector<Adapted>> each(static_cast<std::size_t>(folds));
  for (const Adapted& round : rounds)
    each.at(static_cast<std::size_t>(round.fold - 1)).push_back(round);
  std::vector<double> sizes;
  for (const std::vector<Adapted>& own : each)
    sizes.push_back(own.empty() ? born : own.back().accepted().inference_flops);
  return std::move(each[middle_of(sizes)]);
}

}  // namespace

Metrics mean_of(const std::vector<Metrics>& folds) {
  Metrics mean = folds.front();
  for (auto& [name, value] : mean) value = mean_of(defined(folds, name));
  return mean;
}

nn::DataSpec undivided(nn::DataSpec spec) {
  spec.split.folds = 0;
  spec.split.fold = 0;
  spec.split.valid = 0;
  return spec;
}

std::vector<FoldedWork::Fold> FoldedWork::begin(const Params& params, std::uint64_t trial) {
  nn::DataSpec part = data_spec(study_, params);
  std::vector<Fold> folds;
  for (part.split.fold = 0; part.split.fold < part.split.folds; ++part.split.fold) {
    const StudyData& data = data_of(part);
    PlanPtr plan = plan_of(params, data);
    AdaptingNetwork network = fresh(trial, *plan, data);
    network.belong_to(part.split.fold + 1);
    folds.push_back({.data = &data, .plan = std::move(plan), .network = std::move(network)});
  }
  return folds;
}

rt::Value<nn::Scores> FoldedWork::scored(const Fold& fold, rt::Flops cost) {
  const TrialSpec& spec = fold.plan->spec;
  const rt::On device = device_for(fold.network.model(), spec);
  return tasks::evaluate(fold.network.net(), fold.data->value, nn::Part::valid, spec.hyper.loss,
                         cost);
}

rt::Value<double> FoldedWork::timed(const Fold& fold) {
  const TrialSpec& spec = fold.plan->spec;
  const rt::On device = device_for(fold.network.model(), spec);
  return tasks::row_latency(fold.network.net(), fold.data->value, nn::Part::valid);
}

rt::Async<std::vector<Metrics>> FoldedWork::measured(std::vector<Fold>& folds,
                                                     std::int64_t boundary) const {
  for (Fold& fold : folds) fold.scores.demand();
  std::vector<Metrics> out;
  for (Fold& fold : folds) {
    rt::Async<nn::TrainStats> trained = fold.network.stats();
    const nn::TrainStats stats = co_await std::move(trained);
    if (stats.diverged) throw diverged_before(boundary);
    const nn::Scores scores = co_await fold.scores;
    out.push_back(metrics_of("valid", scores));
    out.back().emplace_back("train.loss", stats.loss);
    if (!measures_latency(study_)) continue;
    const rt::Value<double> timing = timed(fold);
    const double seconds = co_await timing;
    out.back().emplace_back(study::kLatency, seconds);
  }
  co_return out;
}

rt::Async<void> FoldedWork::run(TrialContext& trial) {
  std::vector<Fold> folds = begin(trial.params(), trial.trial());
  const std::int64_t epochs = folds.front().plan->spec.epochs;
  for (const std::int64_t boundary : report_boundaries(study_, epochs)) {
    for (Fold& fold : folds) {
      rt::Async<void> training = fold.network.advance(boundary, trial);
      co_await std::move(training);
      const rt::Flops cost =
          tasks::evaluate_cost(fold.network.flops_per_row(), fold.data->valid_rows);
      trial.segment(cost.value);
      fold.scores = scored(fold, cost);
    }
    if (trial.replayed()) continue;
    rt::Async<std::vector<Metrics>> measuring = measured(folds, boundary);
    const std::vector<Metrics> each = co_await std::move(measuring);
    std::vector<double> sizes;
    for (const Fold& fold : folds)
      sizes.push_back(static_cast<double>(fold.network.flops_per_row().forward));
    const Fold& middle = folds[middle_of(sizes)];
    Report report{.step = boundary, .epochs = boundary, .over = boundary == epochs};
    report.metrics = mean_of(each);
    add_counted(report.metrics, study_, middle.network.model());
    report.value = metric_value(report.metrics, study_.metric.name);
    report.steps = counted_steps(study_, *folds.front().data, folds.front().plan->spec, boundary);
    if (study_.metric.name.starts_with("valid."))
      report.metrics.emplace_back(base::cat(study_.metric.name, ".spread"),
                                  spread_of(defined(each, study_.metric.name)));
    if (middle.network.adapts()) {
      report.shape = nn::shape_text(middle.network.model());
      report.weights = nn::weight_count(middle.network.model());
      report.inference_flops = static_cast<double>(middle.network.flops_per_row().forward);
    }
    rt::Async<Decision> reporting = trial.report(std::move(report));
    const Decision decision = co_await std::move(reporting);
    if (decision == Decision::stop) co_return;
  }
}

rt::Async<std::optional<nn::Calibration>> FoldedWork::calibrated(TrialRow best, Stage life) {
  std::vector<Fold> folds = begin(best.params, best.trial);
  const nn::LearningTask task = folds.front().data->info.task;
  if (task != nn::LearningTask::classification) co_return std::nullopt;
  rt::Value<nn::LabelledAnswers> all;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    Fold& fold = folds[i];
    Stage own = life;
    std::erase_if(own.rounds, [&](const Adapted& round) {
      return round.fold != static_cast<std::int64_t>(i) + 1;
    });
    PastTrial past(std::move(own));
    // Cut as in the search: the store may still have these networks.
    for (const std::int64_t boundary : report_boundaries(study_, life.network.epochs)) {
      rt::Async<void> training = fold.network.advance(boundary, past);
      co_await std::move(training);
    }
    const rt::Value<nn::Answers> answers = tasks::answers(
        fold.network.net(), fold.data->value, nn::Part::valid, fold.plan->spec.hyper.loss,
        tasks::evaluate_cost(fold.network.flops_per_row(), fold.data->valid_rows));
    const auto labelled = tasks::labelled(answers, fold.data->value, nn::Part::valid);
    all = i == 0 ? labelled : tasks::joined(all, labelled);
  }
  const rt::Value<nn::Calibration> fitted = tasks::calibrate(all, judged_metric(study_, task));
  co_return co_await fitted;
}

rt::Async<ExportedModel> FoldedWork::finish(TrialRow best, Lineage lineage,
                                            const TrialTable& trials) {
  if (!writes_models()) co_return ExportedModel{};
  const std::int32_t folds = data_spec(study_, best.params).split.folds;
  const StudyData& data = data_of(undivided(data_spec(study_, best.params)));
  const PlanPtr plan = plan_of(best.params, data);
  Stage life = lineage.back();
  rt::Async<std::optional<nn::Calibration>> calibrating = calibrated(best, life);
  std::optional<nn::Calibration> calibration = co_await std::move(calibrating);
  if (plan->spec.adapt)
    life.rounds =
        middle_rounds(life.rounds, folds, static_cast<double>(plan->network->row.forward));
  for (Adapted& round : life.rounds) round.fold = 0;
  const std::int64_t epochs = life.network.epochs;
  PastTrial past(std::move(life));
  AdaptingNetwork network = fresh(best.trial, *plan, data);
  rt::Async<void> training = network.advance(epochs, past);
  co_await std::move(training);
  rt::Async<nn::TrainStats> trained = network.stats();
  const nn::TrainStats stats = co_await std::move(trained);
  ExportedModel made;
  if (stats.diverged)
    made.note = "the network that was trained on all rows diverged, though its folds did not";
  rt::Async<ExportedModel> writing = write(std::move(made),
                                           {.net = network.net(),
                                            .model = network.model(),
                                            .plan = plan,
                                            .data = &data,
                                            .trial = std::move(best),
                                            .calibration = calibration},
                                           trials);
  co_return co_await std::move(writing);
}

std::int64_t FoldedWork::networks() const {
  return data_spec(study_, study_.space.middle()).split.folds;
}

std::unique_ptr<NetworkWork> network_work(const StudySpec& study, const rt::Runtime& runtime,
                                          base::Path folder, std::string model_file, bool sharing) {
  const bool folded = data_spec(study, study.space.middle()).split.folds > 0;
  if (folded)
    return std::make_unique<FoldedWork>(study, runtime, std::move(folder), std::move(model_file),
                                        sharing);
  return std::make_unique<NetworkWork>(study, runtime, std::move(folder), std::move(model_file),
                                       sharing);
}

}  // namespace hpo
