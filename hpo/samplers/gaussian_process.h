#pragma once
// A Gaussian process over points of a search space: what trials have shown, and how sure that is.
//
// Matern's kernel of smoothness 5/2 with a length of its own for each axis, and noise. Lengths,
// scale and noise maximise the likelihood of the values times a prior, whose lengths grow with the
// root of the number of axes as in Hvarfner et al., "Vanilla Bayesian optimization performs great
// in high dimensions" (ICML 2024), but are held together more closely: from a dozen trials no axis
// can be told to be without effect.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hpo/samplers/cholesky.h"

namespace hpo {

/// How two places along an axis differ.
enum class Along : std::uint8_t {
  numbers,  ///< by the square of their distance
  words,    ///< by 1 unless they are the same
};

/// A point along one axis: a number in [0, 1] or a word's rank; `absent` where the axis' parameter
/// does not exist there, which is as far from each number as half a range, and from each word.
struct Feature {
  double at = 0.5;
  bool absent = false;
};

/// Points column by column, so that one axis of all lies together.
class Points {
 public:
  explicit Points(std::vector<Along> axes);

  void add(std::span<const Feature> point);  ///< one feature an axis
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t axes() const { return axes_.size(); }

  /// sum[i] += weight times how far point `i` is from `x` along `axis`; padded(size()) sums.
  void add_distances(std::size_t axis, const Feature& x, double weight, double* sums) const;
  [[nodiscard]] Feature feature(std::size_t axis, std::size_t i) const;
  [[nodiscard]] Along along(std::size_t axis) const { return axes_[axis]; }

 private:
  std::vector<Along> axes_;
  std::vector<std::vector<double>> at_;      // [axis][padded(size)]
  std::vector<std::vector<double>> absent_;  // [axis][padded(size)]; 0.5 where absent
  std::vector<char> ever_absent_;            // [axis]
  std::size_t size_ = 0;
};

/// What the likelihood is maximised over.
struct Shape {
  std::vector<double> inverse;  ///< [axis]: 1 / length^2
  double scale = 1;             ///< variance of the values
  double noise = 1e-3;          ///< variance of what repeats differently
};

/// The shape that fits `values`, whose mean is 0 and variance 1, best. O(points^3) a step, at most
/// some dozen steps.
[[nodiscard]] Shape fitted(const Points& points, std::span<const double> values);

/// What is known of one point.
struct Belief {
  double mean = 0, deviation = 1;
};

/// Not thread-safe: it works in scratch of its own.
class GaussianProcess {
 public:
  /// One value a point.
  GaussianProcess(Points points, std::span<const double> values, Shape shape);

  [[nodiscard]] std::size_t size() const { return points_.size(); }

  /// Adds a point, of which learn() has to tell before anything is asked. O(points^2); what is
  /// believed then has the bits of a process made of all points at once.
  void add(std::span<const Feature> point);
  /// The values of all points, in their order, in place of those before. O(points^2).
  void learn(std::span<const double> values);

  /// The mean alone. O(points), where at() is O(points^2).
  [[nodiscard]] double mean(std::span<const Feature> x);
  [[nodiscard]] Belief at(std::span<const Feature> x);

  /// The same, and how mean and deviation change along each axis of numbers that is not absent; 0
  /// along the others.
  [[nodiscard]] Belief at(std::span<const Feature> x, std::span<double> mean_slope,
                          std::span<double> deviation_slope);

 private:
  void make_room();
  void correlate(std::span<const Feature> x);

  Points points_;
  Shape shape_;
  Cholesky factor_;              // of the kernel over all points
  std::vector<double> weights_;  // mean = weights . kernel
  std::vector<double> kernel_, steepness_, solved_;
};

}  // namespace hpo
