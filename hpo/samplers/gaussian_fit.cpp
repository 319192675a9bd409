// The shape of a Gaussian process by its likelihood: its value and its slopes.

#include <algorithm>
#include <cmath>

#include "hpo/samplers/gaussian_process.h"
#include "hpo/samplers/matern.h"
#include "hpo/samplers/minimise.h"
#include "hpo/samplers/vectors.h"

namespace hpo {

namespace {

/// A normal distribution of a logarithm.
struct Prior {
  double mean, deviation;

  /// Minus the log density at x, up to a constant, and its slope.
  [[nodiscard]] double cost(double x) const {
    const double t = (x - mean) / deviation;
    return 0.5 * t * t;
  }
  [[nodiscard]] double slope(double x) const { return (x - mean) / (deviation * deviation); }
};

constexpr Prior kScale{.mean = 0, .deviation = 1.5};
constexpr Prior kNoise{.mean = -9, .deviation = 2.5};
constexpr double kLeastNoise = -13.8;          // its logarithm: 1e-6
constexpr double kShort = 1.5, kSpread = 0.7;  // of the logarithm of sqrt(axes) / length

/// Of log(1 / length^2) of one of `axes`.
Prior length_prior(std::size_t axes) {
  return {.mean = 2 * kShort - std::log(static_cast<double>(axes)), .deviation = 2 * kSpread};
}

/// Minus the log of likelihood and prior, over the logarithms of inverse lengths, scale and noise.
class Likelihood {
 public:
  Likelihood(const Points& points, std::span<const double> values)
      : points_(points),
        values_(values),
        n_(points.size()),
        lengths_(length_prior(points.axes())),
        distances_(points.axes()),
        squared_(padded(pairs())),
        pull_(padded(pairs())),
        alike_(pairs()) {
    std::vector<double> row(padded(n_));
    for (std::size_t axis = 0; axis < points.axes(); ++axis) {
      distances_[axis].reserve(padded(pairs()));
      for (std::size_t i = 0; i < n_; ++i) {
        std::ranges::fill(row, 0);
        points.add_distances(axis, points.feature(axis, i), 1, row.data());
        distances_[axis].insert(distances_[axis].end(),
                                row.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                row.begin() + static_cast<std::ptrdiff_t>(n_));
      }
      distances_[axis].resize(padded(pairs()));
    }
  }

  [[nodiscard]] std::size_t axes() const { return points_.axes(); }
  [[nodiscard]] const Prior& lengths() const { return lengths_; }

  double operator()(std::span<const double> x, std::span<double> slope) {
    const double scale = std::exp(x[axes()]), noise = std::exp(x[axes() + 1]);
    const Cholesky factor(kernel(x, scale, noise));
    std::vector<double> weights(values_.begin(), values_.end());
    weights.resize(padded(n_));
    factor.solve_lower(weights);
    double cost = factor.log_diagonal() + 0.5 * dot(weights.data(), weights.data(), weights.size());
    factor.solve_upper(weights);
    set_slopes(factor.inverse(), weights, scale, noise, x, slope);
    for (std::size_t axis = 0; axis < axes(); ++axis) {
      cost += lengths_.cost(x[axis]);
      slope[axis] += lengths_.slope(x[axis]);
    }
    slope[axes()] += kScale.slope(x[axes()]);
    slope[axes() + 1] += kNoise.slope(x[axes() + 1]);
    return cost + kScale.cost(x[axes()]) + kNoise.cost(x[axes() + 1]);
  }

 private:
  [[nodiscard]] std::size_t pairs() const { return n_ * (n_ - 1) / 2; }

  Matrix kernel(std::span<const double> x, double scale, double noise) {
    std::ranges::fill(squared_, 0);
    for (std::size_t axis = 0; axis < axes(); ++axis)
      add_scaled(squared_.data(), distances_[axis].data(), std::exp(x[axis]), squared_.size());
    Matrix matrix(n_);
    std::size_t pair = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      matrix.row(i)[i] = scale + noise;
      for (std::size_t j = i + 1; j < n_; ++j, ++pair) {
        const Matern m = matern(squared_[pair]);
        alike_[pair] = scale * m.value;
        pull_[pair] = scale * m.slope;
        matrix.row(i)[j] = alike_[pair];
      }
    }
    return matrix;
  }

  /// Half the trace of (inverse - weights weights') times how the kernel changes.
  void set_slopes(const Matrix& inverse, std::span<const double> weights, double scale,
                  double noise, std::span<const double> x, std::span<double> slope) {
    double by_scale = 0, by_noise = 0;
    std::size_t pair = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const double* row = inverse.row(i);
      const double own = row[i] - weights[i] * weights[i];
      by_noise += 0.5 * own * noise;
      by_scale += 0.5 * own * scale;
      for (std::size_t j = i + 1; j < n_; ++j, ++pair) {
        const double excess = row[j] - weights[i] * weights[j];
        by_scale += excess * alike_[pair];
        pull_[pair] *= excess;
      }
    }
    for (std::size_t axis = 0; axis < axes(); ++axis)
      slope[axis] = std::exp(x[axis]) * dot(pull_.data(), distances_[axis].data(), pull_.size());
    slope[axes()] = by_scale;
    slope[axes() + 1] = by_noise;
  }

  const Points& points_;
  std::span<const double> values_;
  std::size_t n_;
  Prior lengths_;
  std::vector<std::vector<double>> distances_;  // [axis][pair]
  std::vector<double> squared_, pull_, alike_;  // [pair]
};

}  // namespace

Shape fitted(const Points& points, std::span<const double> values) {
  Likelihood likelihood(points, values);
  const std::size_t axes = points.axes();
  std::vector<double> x(axes, likelihood.lengths().mean), low(axes, -16), high(axes, 7);
  x.insert(x.end(), {kScale.mean, kNoise.mean});
  low.insert(low.end(), {-7, kLeastNoise});
  high.insert(high.end(), {7, 0});
  const Smooth cost = [&](std::span<const double> at, std::span<double> slope) {
    return likelihood(at, slope);
  };
  x = minimise(cost, x, {low, high}, {.most_steps = 40, .gradient = 0.02});
  Shape shape{.inverse = {}, .scale = std::exp(x[axes]), .noise = std::exp(x[axes + 1])};
  for (std::size_t axis = 0; axis < axes; ++axis) shape.inverse.push_back(std::exp(x[axis]));
  return shape;
}

}  // namespace hpo
