#include "nn/evaluation/answers.h"

#include <algorithm>
#include <numeric>

#include "nn/evaluation/row_losses.h"
#include "nn/losses/loss.h"
#include "nn/metrics/metric.h"

namespace nn {

Answers answers_of(const kern::Kernels<float>& kernels, Workspace& workspace, const ParamSlab& net,
                   const DataView& data, const Choice& loss, Parallel* parallel) {
  Evaluation evaluation(kernels, net, loss);
  evaluation.add(workspace, data, parallel);
  const Judged& judged = evaluation.judged();
  return {.width = judged.width, .outputs = judged.outputs};
}

Judged judged_of(const Answers& answers, const DataView& data) {
  Judged judged{.width = answers.width,
                .outputs = answers.outputs,
                .labels = {},
                .targets = {},
                .units = {},
                .names = {}};
  append_truth(judged, data);
  return judged;
}

Scores scores_of(const Answers& answers, const DataView& data, const Choice& loss) {
  Scores scores;
  const Judged judged = judged_of(answers, data);
  scores.rows = static_cast<std::int64_t>(judged.rows());
  if (scores.rows == 0) return scores;
  const auto rows = static_cast<double>(scores.rows);
  const std::vector<float> losses = row_losses(judged, loss, data);
  scores.loss = std::accumulate(losses.begin(), losses.end(), 0.0) / rows;
  const TargetKind target = target_kind(loss.kind);
  if (target == TargetKind::labels) {
    const std::vector<std::int32_t> given = given_classes(judged.outputs, judged.width);
    for (std::size_t row = 0; row < given.size(); ++row)
      scores.correct += given[row] == judged.labels[row];
    scores.accuracy = static_cast<double>(scores.correct) / rows;
  }
  scores.metrics = measure_all(target, judged);
  return scores;
}

}  // namespace nn
