#pragma once
// What metrics are computed from: outputs beside what was right.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/data/data_view.h"
#include "nn/metrics/confusion.h"

namespace nn {

/// Rows that a network has answered, in order. Either labels or targets hold something.
struct Judged {
  std::size_t width = 0;             ///< outputs a row
  std::vector<float> outputs;        ///< [rows, width] as the network gave them
  std::vector<std::int32_t> labels;  ///< [rows] classes
  std::vector<float> targets;        ///< [rows, width] numbers as stored
  std::vector<double> units;         ///< [width] one unit of `targets` in the units of the data
  std::vector<std::string> names{};  ///< [width] of the columns that are targets

  [[nodiscard]] std::size_t rows() const { return width == 0 ? 0 : outputs.size() / width; }
};

/// Appends what was right for the view's rows.
void append_truth(Judged& judged, const DataView& data);

/// The same rows, of numbers, with nothing but output `i`.
[[nodiscard]] Judged output_of(const Judged& judged, std::size_t i);

/// Softmax of a row of outputs, in double.
void probabilities(std::span<const float> outputs, std::span<double> out);

/// Sums of the errors of numbers, for each output: the means that metrics of numbers are made of,
/// in the scale of the stored targets.
struct ErrorMeans {
  double squared = 0, absolute = 0;  ///< means over the rows
  double variance = 0;               ///< of the targets around their mean
  double unit = 1;                   ///< one unit of that scale in the units of the data
};
[[nodiscard]] std::vector<ErrorMeans> error_means(const Judged& judged);

/// Returns the error of every output in the unit of its target, [rows, width].
[[nodiscard]] std::vector<double> errors_of(const Judged& judged);

/// Returns for each row the mean over its outputs of `f(error)`, errors in the unit of their
/// target.
template <class F>
[[nodiscard]] std::vector<double> row_means(const Judged& judged, F&& f) {
  std::vector<double> means(judged.rows(), 0);
  const std::vector<double> errors = errors_of(judged);
  for (std::size_t i = 0; i < errors.size(); ++i) means[i / judged.width] += f(errors[i]);
  for (double& mean : means) mean /= static_cast<double>(judged.width);
  return means;
}

}  // namespace nn
