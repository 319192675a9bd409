#include "hpo/driver/baselines.h"

#include <string_view>

#include "nn/baseline.h"
#include "tasks/tasks.h"

namespace hpo {

namespace {

void append(Metrics& to, const Metrics& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

Baselines::Baselines(const StudyData& data, bool folded) : folded_(folded) {
  const nn::LearningTask task = data.info.task;
  const nn::Choice loss{task == nn::LearningTask::classification ? "cross_entropy" : "mse", {}};
  const nn::ModelSpec model =
      nn::with_output({.input = data.info.input, .layers = {}}, data.info.outputs);
  for (const nn::Baseline kind : nn::kBaselines) {
    const auto net = tasks::fit_baseline(
        data.value, kind, tasks::train_cost(model, {.from = 0, .to = 10}, data.train_rows, 64));
    const auto score = [&](nn::Part part, std::uint64_t rows) {
      auto scores = tasks::evaluate(net, data.value, part, loss, tasks::evaluate_cost(model, rows));
      scores.demand();
      return scores;
    };
    rows_.push_back({.name = std::string(nn::name_of(kind, task)),
                     .valid = score(nn::Part::valid, data.valid_rows),
                     .test = score(nn::Part::test, data.test_rows)});
  }
}

std::vector<BaselineRow> Baselines::rows() const {
  std::vector<BaselineRow> out;
  for (const Row& row : rows_) {
    BaselineRow made{.name = row.name, .metrics = {}};
    if (!folded_) made.metrics = metrics_of("valid", row.valid.get());
    if (row.test.get().rows > 0) append(made.metrics, metrics_of("test", row.test.get()));
    out.push_back(std::move(made));
  }
  return out;
}

}  // namespace hpo
