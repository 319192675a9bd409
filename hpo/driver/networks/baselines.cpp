#include "hpo/driver/networks/baselines.h"

#include "hpo/driver/networks/folded_work.h"
#include "tasks/tasks.h"

namespace hpo {

namespace {

rt::Value<nn::Scores> score_of(nn::Baseline kind, const StudyData& data, nn::Part part) {
  const nn::LearningTask task = data.info.task;
  const nn::Choice loss{task == nn::LearningTask::classification ? "cross_entropy" : "mse", {}};
  const nn::ModelSpec model =
      nn::with_output({.input = data.info.input, .layers = {}}, data.info.outputs);
  const auto net = tasks::fit_baseline(
      data.value, kind, tasks::train_cost(model, {.from = 0, .to = 10}, data.train_rows, 64));
  const std::uint64_t rows = part == nn::Part::test ? data.test_rows : data.valid_rows;
  auto scores = tasks::evaluate(net, data.value, part, loss, tasks::evaluate_cost(model, rows));
  scores.demand();
  return scores;
}

}  // namespace

Baselines::Baselines(const LoadedStudy& loaded) {
  tasks::setup_process();
  nn::DataSpec part = data_spec(loaded.study, loaded.params);
  folds_.push_back(loaded.data);
  for (part.split.fold = 1; part.split.fold < part.split.folds; ++part.split.fold)
    folds_.push_back(load_data(loaded.study, part));
  const bool folded = folds_.size() > 1;
  const StudyData whole = folded ? load_data(loaded.study, undivided(part)) : loaded.data;
  for (const nn::Baseline kind : nn::kBaselines) rows_.push_back(begin(kind, whole));
}

Baselines::Row Baselines::begin(nn::Baseline kind, const StudyData& whole) const {
  Row row{.name = std::string(nn::name_of(kind, whole.info.task)),
          .valid = {},
          .test = score_of(kind, whole, nn::Part::test)};
  for (const StudyData& fold : folds_) row.valid.push_back(score_of(kind, fold, nn::Part::valid));
  return row;
}

std::vector<BaselineRow> Baselines::rows() const {
  std::vector<BaselineRow> out;
  for (const Row& row : rows_) {
    std::vector<Metrics> valid;
    for (const auto& fold : row.valid) valid.push_back(metrics_of("valid", fold.get()));
    BaselineRow made{.name = row.name, .metrics = mean_of(valid)};
    if (row.test.get().rows > 0) {
      const Metrics test = metrics_of("test", row.test.get());
      made.metrics.insert(made.metrics.end(), test.begin(), test.end());
    }
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace hpo
