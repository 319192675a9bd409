#include "nn/data/scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "nn/data/data_error.h"

namespace nn {

namespace {

/// What the training rows say about each column.
struct Moments {
  std::vector<double> mean, deviation, min, max;
};

template <class T>
Moments moments(std::span<const T> x, std::size_t cols, std::span<const std::uint32_t> rows) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Moments m{std::vector<double>(cols, 0), std::vector<double>(cols, 0),
            std::vector<double>(cols, kInfinity), std::vector<double>(cols, -kInfinity)};
  for (const std::uint32_t row : rows) {
    const T* values = x.data() + row * cols;
    for (std::size_t c = 0; c < cols; ++c) {
      const double value = values[c];
      m.mean[c] += value;
      m.min[c] = std::min(m.min[c], value);
      m.max[c] = std::max(m.max[c], value);
    }
  }
  const double count = static_cast<double>(rows.size());
  for (double& mean : m.mean) mean /= count;
  for (const std::uint32_t row : rows) {
    const T* values = x.data() + row * cols;
    for (std::size_t c = 0; c < cols; ++c) {
      const double off = values[c] - m.mean[c];
      m.deviation[c] += off * off;
    }
  }
  for (double& deviation : m.deviation) deviation = std::sqrt(deviation / count);
  return m;
}

/// Shift and factor of one column. A column that is constant in training, or so nearly that its
/// factor is no float, is switched off: see Scale.
std::pair<float, float> rule(Scale scaling, const Moments& m, std::size_t c) {
  const bool standard = scaling == Scale::standard;
  const double width = standard ? m.deviation[c] : m.max[c] - m.min[c];
  const auto factor = static_cast<float>(1 / width);
  const bool usable = m.min[c] < m.max[c] && std::isfinite(factor);
  return {static_cast<float>(standard ? m.mean[c] : m.min[c]), usable ? factor : 0.0F};
}

/// Of one column: its inputs that are scaled stand first.
std::size_t scaled_inputs(const FeatureColumn& column) {
  const ColumnKind kind = column.kind();
  return kind == ColumnKind::number || kind == ColumnKind::date ? column.values() : 0;
}

/// One flag an input: whether it is 0 or 1 by its meaning, which is never scaled.
std::vector<bool> unscaled_inputs(const Dataset::Header& header) {
  std::vector<bool> flags;
  for (const FeatureColumn& column : header.columns) {
    const std::size_t scaled = scaled_inputs(column);
    flags.insert(flags.end(), scaled, false);
    flags.insert(flags.end(), column.inputs() - scaled, true);
  }
  flags.resize(header.cols, false);
  return flags;
}

void require_bytes(const Dataset& data, const std::string& path) {
  for (const float value : data.x_f32()) {
    if (!(value >= 0 && value <= 255)) {
      throw DataError(path, "scale: unit divides bytes by 255, but the data holds " +
                                std::to_string(value) + "; expected values from 0 to 255");
    }
  }
}

/// The mean of the numbers that column `c` has in the training part; 0 where it has none.
template <class T>
float mean_of_column(const Dataset& data, std::span<const T> x, std::size_t c) {
  double sum = 0;
  std::size_t numbers = 0;
  for (const std::uint32_t row : data.part(Part::train)) {
    const auto value = static_cast<float>(x[row * data.cols() + c]);
    if (std::isnan(value)) continue;
    sum += value;
    ++numbers;
  }
  return numbers == 0 ? 0 : static_cast<float>(sum / static_cast<double>(numbers));
}

void fill_column(Dataset& data, std::size_t c, FeatureColumn& column) {
  const bool bytes = data.header().storage == Storage::u8;
  column.fill =
      bytes ? mean_of_column(data, data.x_u8(), c) : mean_of_column(data, data.x_f32(), c);
  const auto x = data.mutable_x_f32();
  for (std::size_t i = c; i < x.size(); i += data.cols()) {
    if (std::isnan(x[i])) x[i] = column.fill;
  }
}

}  // namespace

double offset_of(double least, double largest, Scale scaling) {
  if (scaling == Scale::none || scaling == Scale::unit || !(least < largest)) return 0;
  constexpr double kRounding = std::numeric_limits<float>::epsilon() / 2, kShare = 1e-4;
  const double size = std::max(std::fabs(least), std::fabs(largest));
  return size * kRounding > kShare * (largest - least) ? least : 0;
}

void fill_missing(Dataset& data) {
  std::size_t input = 0;
  for (FeatureColumn& column : data.mutable_columns()) {
    if (scaled_inputs(column) > 0) fill_column(data, input, column);
    input += column.inputs();
  }
}

void fit_scaling(Dataset& data, const std::string& path) {
  const auto shift = data.mutable_shift();
  const auto scale = data.mutable_scale();
  const Scale scaling = data.header().scaling;
  std::fill(shift.begin(), shift.end(), 0.0F);
  std::fill(scale.begin(), scale.end(), 1.0F);
  if (scaling == Scale::none) return;
  const std::vector<bool> unscaled = unscaled_inputs(data.header());
  if (scaling == Scale::unit) {
    require_bytes(data, path);
    for (std::size_t c = 0; c < data.cols(); ++c) scale[c] = unscaled[c] ? 1.0F : 1.0F / 255.0F;
    return;
  }
  const auto train = data.part(Part::train);
  const Moments m = data.header().storage == Storage::u8
                        ? moments(data.x_u8(), data.cols(), train)
                        : moments(data.x_f32(), data.cols(), train);
  for (std::size_t c = 0; c < data.cols(); ++c) {
    if (!unscaled[c]) std::tie(shift[c], scale[c]) = rule(scaling, m, c);
  }
}

void fit_targets(std::span<const double> numbers, std::span<const std::uint32_t> train,
                 std::span<TargetColumn> columns) {
  const Moments m = moments(numbers, columns.size(), train);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool constant = !(m.min[c] < m.max[c]) || !std::isnormal(m.deviation[c]);
    columns[c].shift = m.mean[c];
    columns[c].unit = constant ? 1.0 : m.deviation[c];
  }
}

}  // namespace nn
