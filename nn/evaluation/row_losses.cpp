#include "nn/evaluation/row_losses.h"

#include <cmath>
#include <limits>
#include <memory>

#include "kernels/kernels.h"
#include "nn/losses/loss.h"

namespace nn {

std::vector<float> row_losses(const Judged& judged, const Choice& loss, const DataView& data) {
  const std::unique_ptr<LossFunction<float>> function = loss_function<float>(loss, data);
  const kern::Kernels<float>& kernels = kern::cpu_kernels(kern::Precision::f32);
  const bool labels = loss_of(loss.kind).target() == TargetKind::labels;
  // Of two outputs that stand for one logit the second is that logit.
  const bool one_logit = labels && loss_of(loss.kind).outputs(2) == 1;
  const std::size_t skipped = one_logit ? 1 : 0;
  std::vector<float> out(judged.rows());
  kern::Exec exec;
  for (std::size_t row = 0; row < out.size(); ++row) {
    Target target;
    if (labels)
      target.labels = judged.labels.data() + row;
    else
      target.numbers = judged.targets.data() + row * judged.width;
    out[row] = static_cast<float>(
        function
            ->run({kernels, exec, 1, static_cast<int>(judged.width - skipped),
                   judged.outputs.data() + row * judged.width + skipped, target, 0.0F, nullptr})
            .loss);
  }
  return out;
}

PairedGain paired_gain(const std::vector<float>& first, const std::vector<float>& second) {
  const auto rows = static_cast<double>(first.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double gain = static_cast<double>(first[i]) - static_cast<double>(second[i]);
    sum += gain;
    squares += gain * gain;
  }
  if (first.size() < 2 || !std::isfinite(squares)) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {kNone, kNone};
  }
  const double mean = sum / rows;
  return {mean, std::sqrt(std::max(0.0, squares / rows - mean * mean) / (rows - 1))};
}

}  // namespace nn
