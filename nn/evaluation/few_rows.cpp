#include "nn/evaluation/few_rows.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nn {

namespace {

/// Eigenvalues below this part of the largest are noise of rounding.
constexpr double kLeastPart = 1e-9;
constexpr std::size_t kChunk = 1024;

/// One input of a training row as a network sees it.
double scaled(const Dataset& data, std::size_t row, std::size_t column) {
  const std::size_t at = row * data.cols() + column;
  const double x = data.header().storage == Storage::u8 ? static_cast<double>(data.x_u8()[at])
                                                        : static_cast<double>(data.x_f32()[at]);
  return (x - static_cast<double>(data.shift()[column])) *
         static_cast<double>(data.scale()[column]);
}

/// Columns [begin, end) of X, transposed: [end - begin, rows].
std::vector<double> columns_of(const Dataset& data, std::size_t begin, std::size_t end) {
  const auto rows = data.part(Part::train);
  std::vector<double> out((end - begin) * rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = begin; c < end; ++c)
      out[(c - begin) * rows.size() + i] = scaled(data, rows[i], c);
  }
  return out;
}

}  // namespace

FewRows::FewRows(const kern::LinearAlgebra& algebra, const Dataset& data) : data_(data) {
  const auto rows = data.part(Part::train);
  const std::size_t n = rows.size(), outputs = data.outputs();
  std::vector<double> products(n * n, 0), values(n);
  for (std::size_t begin = 0; begin < data.cols(); begin += kChunk) {
    const std::size_t end = std::min(data.cols(), begin + kChunk);
    const std::vector<double> columns = columns_of(data, begin, end);
    algebra.add_gram(static_cast<int>(end - begin), static_cast<int>(n), columns.data(),
                     products.data());
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) products[i * n + j] = products[j * n + i];
  }
  algebra.eigen_symmetric(static_cast<int>(n), products.data(), values.data());
  const double least = kLeastPart * std::max(values.back(), 1e-300);
  for (std::size_t v = n; v-- > 0 && values[v] > least;) {
    const double root = std::sqrt(values[v]);
    for (std::size_t i = 0; i < n; ++i) vectors_.push_back(products[v * n + i] / root);
    ++width_;
  }
  z_.resize(n * width_);
  for (std::size_t v = 0; v < width_; ++v) {
    const double value = values[n - 1 - v];
    for (std::size_t i = 0; i < n; ++i)
      z_[i * width_ + v] = static_cast<float>(vectors_[v * n + i] * value);
  }
  shift_.assign(width_, 0.0F);
  scale_.assign(width_, 1.0F);
  rows_.resize(n);
  std::iota(rows_.begin(), rows_.end(), 0U);
  for (const std::uint32_t row : rows) {
    if (data.is_classification()) {
      labels_.push_back(data.labels()[row]);
      continue;
    }
    const auto targets = data.targets().subspan(row * outputs, outputs);
    targets_.insert(targets_.end(), targets.begin(), targets.end());
  }
}

DataView FewRows::view() const {
  DataView view;
  view.shape = Shape::features(static_cast<std::int64_t>(width_));
  view.f32 = z_.data();
  view.shift = shift_.data();
  view.scale = scale_.data();
  view.outputs = static_cast<std::int32_t>(data_.outputs());
  view.rows = rows_;
  view.training = rows_;
  view.class_names = data_.header().class_names;
  if (data_.is_classification()) {
    view.labels = labels_.data();
  } else {
    view.targets = targets_.data();
    view.target_columns = data_.header().targets;
  }
  return view;
}

void FewRows::turn_back(std::span<const float> weights, std::span<float> out) const {
  const std::size_t n = rows_.size(), outputs = data_.outputs();
  // The weights of the rows, of which those of the columns are sums.
  std::vector<double> of_rows(n * outputs, 0);
  for (std::size_t v = 0; v < width_; ++v) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t o = 0; o < outputs; ++o)
        of_rows[i * outputs + o] +=
            vectors_[v * n + i] * static_cast<double>(weights[v * outputs + o]);
    }
  }
  std::vector<double> sums(outputs);
  for (std::size_t begin = 0; begin < data_.cols(); begin += kChunk) {
    const std::size_t end = std::min(data_.cols(), begin + kChunk);
    const std::vector<double> columns = columns_of(data_, begin, end);
    for (std::size_t c = begin; c < end; ++c) {
      std::ranges::fill(sums, 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t o = 0; o < outputs; ++o)
          sums[o] += columns[(c - begin) * n + i] * of_rows[i * outputs + o];
      }
      for (std::size_t o = 0; o < outputs; ++o) out[c * outputs + o] = static_cast<float>(sums[o]);
    }
  }
}

}  // namespace nn
