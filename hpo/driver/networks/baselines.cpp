#include "hpo/driver/networks/baselines.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "hpo/driver/networks/folded_work.h"
#include "runtime/failure.h"
#include "tasks/judging.h"
#include "tasks/tasks.h"

namespace hpo {

namespace {

nn::ModelSpec model_of(const StudyData& data) {
  return nn::with_output({.input = data.info.input, .layers = {}}, data.info.outputs);
}

rt::Value<nn::ParamSlab> fitted(nn::Baseline kind, const StudyData& data) {
  const rt::Flops cost =
      tasks::train_cost(model_of(data), {.from = 0, .to = 10}, data.train_rows, 64);
  return tasks::fit_baseline(data.value, kind, cost);
}

/// Baselines have an output for each class.
nn::Choice loss_for(const StudyData& data) {
  return {data.info.task == nn::LearningTask::classification ? "cross_entropy" : "mse", {}};
}

rt::Flops cost_of(const StudyData& data, nn::Part part) {
  return tasks::evaluate_cost(model_of(data),
                              part == nn::Part::test ? data.test_rows : data.valid_rows);
}

nn::Baseline kind_of(const std::string& name, nn::LearningTask task) {
  const auto kind = std::ranges::find_if(
      nn::kBaselines, [&](nn::Baseline one) { return nn::name_of(one, task) == name; });
  if (kind == nn::kBaselines.end())
    throw base::Error(base::Errc::storage, base::cat("the log has a baseline '", name,
                                                     "', which this build does not know"));
  return *kind;
}

}  // namespace

Baselines::Baselines(const LoadedStudy& loaded, TreePlan trees, bool linear)
    : trees_(std::move(trees)) {
  tasks::setup_process();
  nn::DataSpec part = data_spec(loaded.study, loaded.params);
  folds_.push_back(loaded.data);
  for (part.split.fold = 1; part.split.fold < part.split.folds; ++part.split.fold)
    folds_.push_back(load_data(loaded.study, part));
  const bool folded = folds_.size() > 1;
  const StudyData whole = folded ? load_data(loaded.study, undivided(part)) : loaded.data;
  const auto scope = group_.emplace("baselines").enter();
  for (const nn::Baseline kind : nn::kBaselines) {
    if (kind == nn::Baseline::linear && !linear) continue;
    rows_.push_back(begin(std::string(nn::name_of(kind, whole.info.task)), whole));
  }
  if (trees_.size) rows_.push_back(begin(std::string(nn::kBoostedTrees), whole));
}

/// A sweep that is stopped ends without waiting for them.
Baselines::~Baselines() {
  if (group_) group_->cancel();
}

rt::Value<nn::Scores> Baselines::score(const std::string& name, const StudyData& data,
                                       nn::Part part) const {
  if (name == nn::kBoostedTrees)
    return tasks::score_answers(answers(name, data, part), data.value, part, loss_for(data));
  return tasks::evaluate(fitted(kind_of(name, data.info.task), data), data.value, part,
                         loss_for(data), cost_of(data, part));
}

Baselines::Row Baselines::begin(const std::string& name, const StudyData& whole) const {
  Row row{.name = name, .valid = {}, .test = score(name, whole, nn::Part::test)};
  row.test.demand();
  for (const StudyData& fold : folds_) {
    row.valid.push_back(score(name, fold, nn::Part::valid));
    row.valid.back().demand();
  }
  return row;
}

std::vector<BaselineRow> Baselines::rows() const {
  if (rows_.empty()) return known_;
  std::vector<BaselineRow> out;
  for (const Row& row : rows_) {
    BaselineRow made{.name = row.name, .metrics = {}};
    try {
      std::vector<Metrics> valid;
      for (const auto& fold : row.valid) valid.push_back(metrics_of("valid", fold.get()));
      made.metrics = mean_of(valid);
      if (row.test.get().rows > 0) {
        const Metrics test = metrics_of("test", row.test.get());
        made.metrics.insert(made.metrics.end(), test.begin(), test.end());
      }
    } catch (const rt::TaskError&) {
      // Trees come from a library that may be missing on an agent; all else is our own.
      if (row.name != nn::kBoostedTrees) throw;
      continue;
    }
    out.push_back(std::move(made));
  }
  return out;
}

rt::Async<void> Baselines::ready() const {
  for (const Row& row : rows_) {
    try {
      for (const auto& fold : row.valid) (void)co_await fold;
      (void)co_await row.test;
    } catch (const rt::TaskError&) {
      // rows() tells what became of it.
    }
  }
}

rt::Value<nn::Answers> Baselines::answers(const std::string& name, const StudyData& data,
                                          nn::Part part) const {
  if (name == nn::kBoostedTrees && trees_.size) {
    const rt::Flops cost{nn::tree_flops(nn::tree_table(data.value.get()), *trees_.size)};
    return tasks::answers(tasks::fit_trees(data.value, *trees_.size, cost), data.value, part);
  }
  return tasks::answers(fitted(kind_of(name, data.info.task), data), data.value, part,
                        loss_for(data), cost_of(data, part));
}

}  // namespace hpo
