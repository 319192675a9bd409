#include "nn/metrics/judged.h"

#include <algorithm>
#include <cmath>

namespace nn {

void append_truth(Judged& judged, const DataView& data) {
  judged.units.clear();
  judged.names.clear();
  for (const TargetColumn& column : data.target_columns) {
    judged.units.push_back(column.unit);
    judged.names.push_back(column.name);
  }
  for (const std::uint32_t row : data.rows) {
    if (data.labels != nullptr) {
      judged.labels.push_back(data.labels[row]);
    } else if (data.targets != nullptr) {
      const float* targets = data.targets + row * judged.width;
      judged.targets.insert(judged.targets.end(), targets, targets + judged.width);
    }
  }
}

Judged output_of(const Judged& judged, std::size_t i) {
  Judged one{.width = 1, .units = {judged.units.at(i)}, .names = {judged.names.at(i)}};
  for (std::size_t at = i; at < judged.outputs.size(); at += judged.width) {
    one.outputs.push_back(judged.outputs[at]);
    one.targets.push_back(judged.targets[at]);
  }
  return one;
}

void probabilities(std::span<const float> outputs, std::span<double> out) {
  const double top = static_cast<double>(*std::ranges::max_element(outputs));
  double sum = 0;
  for (std::size_t c = 0; c < outputs.size(); ++c) {
    out[c] = std::exp(static_cast<double>(outputs[c]) - top);
    sum += out[c];
  }
  for (double& p : out) p /= sum;
}

std::vector<ErrorMeans> error_means(const Judged& judged) {
  std::vector<ErrorMeans> means(judged.width);
  const double rows = static_cast<double>(judged.rows());
  std::vector<double> centre(judged.width);
  for (std::size_t i = 0; i < judged.targets.size(); ++i)
    centre[i % judged.width] += static_cast<double>(judged.targets[i]);
  for (double& sum : centre) sum /= rows;
  for (std::size_t i = 0; i < judged.targets.size(); ++i) {
    ErrorMeans& m = means[i % judged.width];
    const double wanted = static_cast<double>(judged.targets[i]);
    const double error = static_cast<double>(judged.outputs[i]) - wanted;
    const double off = wanted - centre[i % judged.width];
    m.squared += error * error;
    m.absolute += std::abs(error);
    m.variance += off * off;
  }
  for (std::size_t i = 0; i < judged.units.size(); ++i) means[i].unit = judged.units[i];
  for (ErrorMeans& m : means) {
    m.squared /= rows;
    m.absolute /= rows;
    m.variance /= rows;
  }
  return means;
}

std::vector<double> errors_of(const Judged& judged) {
  std::vector<double> errors(judged.outputs.size());
  for (std::size_t i = 0; i < errors.size(); ++i) {
    const std::size_t output = i % judged.width;
    const double unit = judged.units.empty() ? 1 : judged.units[output];
    errors[i] =
        (static_cast<double>(judged.outputs[i]) - static_cast<double>(judged.targets[i])) * unit;
  }
  return errors;
}

}  // namespace nn
