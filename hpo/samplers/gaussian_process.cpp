#include "hpo/samplers/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hpo/samplers/matern.h"
#include "hpo/samplers/vectors.h"

namespace hpo {

namespace {

constexpr double kHalf = 0.5;
constexpr double kLeastVariance = 1e-12;

}  // namespace

Points::Points(std::vector<Along> axes)
    : axes_(std::move(axes)),
      at_(axes_.size()),
      absent_(axes_.size()),
      ever_absent_(axes_.size()) {}

void Points::add(std::span<const Feature> point) {
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    at_[axis].resize(padded(size_ + 1));
    absent_[axis].resize(padded(size_ + 1));
    at_[axis][size_] = point[axis].at;
    absent_[axis][size_] = point[axis].absent ? kHalf : 0;
    if (point[axis].absent) ever_absent_[axis] = 1;
  }
  ++size_;
}

Feature Points::feature(std::size_t axis, std::size_t i) const {
  return {.at = at_[axis][i], .absent = absent_[axis][i] != 0};
}

void Points::add_distances(std::size_t axis, const Feature& x, double weight, double* sums) const {
  const std::vector<double>& at = at_[axis];
  if (axes_[axis] == Along::words) {
    const double here = x.at;
    for (std::size_t i = 0; i < size_; ++i) sums[i] += at[i] == here ? 0 : weight;
    return;
  }
  add_squares(sums, at.data(), x.at, weight, at.size());
  if (x.absent || ever_absent_[axis] != 0)
    add_squares(sums, absent_[axis].data(), x.absent ? kHalf : 0, weight, at.size());
}

GaussianProcess::GaussianProcess(Points points, std::span<const double> values, Shape shape)
    : points_(std::move(points)), shape_(std::move(shape)) {
  const std::size_t n = points_.size();
  make_room();
  std::vector<Feature> point(points_.axes());
  Matrix all(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t axis = 0; axis < point.size(); ++axis) point[axis] = points_.feature(axis, i);
    correlate(point);
    std::copy(kernel_.begin() + static_cast<std::ptrdiff_t>(i),
              kernel_.begin() + static_cast<std::ptrdiff_t>(n), all.row(i) + i);
    all.row(i)[i] += shape_.noise;
  }
  factor_ = Cholesky(std::move(all));
  learn(values);
}

void GaussianProcess::make_room() {
  kernel_.resize(padded(points_.size()));
  steepness_.resize(padded(points_.size()));
  solved_.resize(padded(points_.size()));
}

void GaussianProcess::add(std::span<const Feature> point) {
  points_.add(point);
  make_room();
  correlate(point);
  kernel_[points_.size() - 1] += shape_.noise;
  factor_.append(std::span(kernel_).first(points_.size()));
}

void GaussianProcess::learn(std::span<const double> values) {
  weights_.assign(padded(points_.size()), 0);
  std::ranges::copy(values, weights_.begin());
  factor_.solve_lower(weights_);
  factor_.solve_upper(weights_);
}

void GaussianProcess::correlate(std::span<const Feature> x) {
  std::ranges::fill(kernel_, 0);
  for (std::size_t axis = 0; axis < x.size(); ++axis)
    points_.add_distances(axis, x[axis], shape_.inverse[axis], kernel_.data());
  for (std::size_t i = 0; i < kernel_.size(); ++i) {
    if (i >= points_.size()) {
      kernel_[i] = steepness_[i] = 0;
      continue;
    }
    const Matern m = matern(kernel_[i]);
    kernel_[i] = shape_.scale * m.value;
    steepness_[i] = shape_.scale * m.slope;
  }
}

double GaussianProcess::mean(std::span<const Feature> x) {
  correlate(x);
  return dot(kernel_.data(), weights_.data(), kernel_.size());
}

Belief GaussianProcess::at(std::span<const Feature> x) {
  const double mean = this->mean(x);
  solved_ = kernel_;
  factor_.solve_lower(solved_);
  const double variance = shape_.scale - dot(solved_.data(), solved_.data(), solved_.size());
  return {.mean = mean, .deviation = std::sqrt(std::max(variance, kLeastVariance))};
}

Belief GaussianProcess::at(std::span<const Feature> x, std::span<double> mean_slope,
                           std::span<double> deviation_slope) {
  const Belief belief = at(x);
  factor_.solve_upper(solved_);
  for (std::size_t i = 0; i < solved_.size(); ++i) {
    kernel_[i] = weights_[i] * steepness_[i];
    solved_[i] *= steepness_[i];
  }
  for (std::size_t axis = 0; axis < x.size(); ++axis) {
    mean_slope[axis] = deviation_slope[axis] = 0;
    if (points_.along(axis) == Along::words || x[axis].absent) continue;
    double mean = 0, spread = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double t = 2 * (x[axis].at - points_.feature(axis, i).at);
      mean += kernel_[i] * t;
      spread += solved_[i] * t;
    }
    mean_slope[axis] = shape_.inverse[axis] * mean;
    deviation_slope[axis] = -shape_.inverse[axis] * spread / belief.deviation;
  }
  return belief;
}

}  // namespace hpo
