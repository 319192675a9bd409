#include "hpo/driver/folded_work.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "hpo/driver/placement.h"
#include "hpo/study/metric_names.h"
#include "runtime/base/text.h"
#include "runtime/on.h"

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
    Fold fold{.data = &data_of(part), .plan = {}, .net = {}, .stats = {}, .scores = {}};
    fold.plan = plan_of(params, *fold.data);
    fold.net = first_network(trial, *fold.plan, *fold.data);
    folds.push_back(std::move(fold));
  }
  return folds;
}

double FoldedWork::train(std::vector<Fold>& folds, const nn::Stretch& stretch) {
  double flops = 0;
  for (Fold& fold : folds) {
    const TrialSpec& spec = fold.plan->spec;
    const nn::Flops& row = fold.plan->network->row;
    const rt::Flops training =
        tasks::train_cost(row, stretch, fold.data->train_rows, spec.hyper.batch);
    const rt::Flops scoring = tasks::evaluate_cost(row, fold.data->valid_rows);
    const rt::On device(device_rule(spec.resources).kind_for(spec.model, spec.hyper));
    fold.stats = tasks::train(fold.net, fold.data->value, spec.hyper, stretch, training);
    fold.scores =
        tasks::evaluate(fold.net, fold.data->value, nn::Part::valid, spec.hyper.loss, scoring);
    flops += training.value + scoring.value;
  }
  return flops;
}

rt::Value<double> FoldedWork::timed(const Fold& fold) {
  const TrialSpec& spec = fold.plan->spec;
  const rt::On device(device_rule(spec.resources).kind_for(spec.model, spec.hyper));
  return tasks::row_latency(fold.net, fold.data->value, nn::Part::valid);
}

rt::Async<void> FoldedWork::run(TrialContext& trial) {
  std::vector<Fold> folds = begin(trial.params(), trial.trial());
  const std::int64_t epochs = folds.front().plan->spec.epochs;
  std::int64_t done = 0;
  for (const std::int64_t border : report_borders(study_, epochs)) {
    trial.stretch(train(folds, {done, border, 1}));
    done = border;
    if (trial.replayed()) continue;
    for (Fold& fold : folds) fold.scores.demand();
    std::vector<Metrics> measured;
    for (Fold& fold : folds) {
      const nn::TrainStats stats = co_await fold.stats;
      if (stats.diverged) throw diverged_before(border);
      const nn::Scores scores = co_await fold.scores;
      measured.push_back(metrics_of("valid", scores));
      measured.back().emplace_back("train.loss", stats.loss);
      if (!measures_latency(study_)) continue;
      const rt::Value<double> timing = timed(fold);
      const double seconds = co_await timing;
      measured.back().emplace_back(study::kLatency, seconds);
    }
    Report report{.step = border, .epochs = border, .over = border == epochs};
    report.metrics = mean_of(measured);
    add_counted(report.metrics, study_, folds.front().plan->spec.model);
    report.value = metric_value(report.metrics, study_.metric.name);
    report.steps = counted_steps(study_, *folds.front().data, folds.front().plan->spec, border);
    if (study_.metric.name.starts_with("valid."))
      report.metrics.emplace_back(rt::cat(study_.metric.name, ".spread"),
                                  spread_of(defined(measured, study_.metric.name)));
    rt::Async<Word> reporting = trial.report(std::move(report));
    const Word word = co_await std::move(reporting);
    if (word == Word::stop) co_return;
  }
}

rt::Async<ExportedModel> FoldedWork::finish(TrialRow best, Lineage lineage) {
  if (!writes_models()) co_return ExportedModel{};
  const StudyData& data = data_of(undivided(data_spec(study_, best.params)));
  const PlanPtr plan = plan_of(best.params, data);
  const TrialSpec& spec = plan->spec;
  const nn::Stretch stretch{0, lineage.back().network.epochs, 1};
  rt::Value<nn::ParamSlab> net = first_network(best.trial, *plan, data);
  rt::Value<nn::TrainStats> trained;
  {
    const rt::On device(device_rule(spec.resources).kind_for(spec.model, spec.hyper));
    trained =
        tasks::train(net, data.value, spec.hyper, stretch,
                     tasks::train_cost(spec.model, stretch, data.train_rows, spec.hyper.batch));
  }
  const nn::TrainStats stats = co_await trained;
  ExportedModel made;
  if (stats.diverged)
    made.note = "the network that was trained on all rows diverged, though its folds did not";
  rt::Async<ExportedModel> writing =
      write(std::move(made), net, spec.model, plan, data, best.params);
  co_return co_await std::move(writing);
}

std::int64_t FoldedWork::networks() const {
  return data_spec(study_, study_.space.middle()).split.folds;
}

std::unique_ptr<NetworkWork> network_work(const StudySpec& study, const rt::Runtime& runtime,
                                          rt::Path folder, std::string model_file, bool sharing) {
  const bool folded = data_spec(study, study.space.middle()).split.folds > 0;
  if (folded)
    return std::make_unique<FoldedWork>(study, runtime, std::move(folder), std::move(model_file),
                                        sharing);
  return std::make_unique<NetworkWork>(study, runtime, std::move(folder), std::move(model_file),
                                       sharing);
}

}  // namespace hpo
