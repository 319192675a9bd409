#pragma once
// The normal distribution that CMA-ES moves over the unit cube.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hpo {

/// Strategy constants for `d` axes and generations of `population` points: Hansen, "The CMA
/// evolution strategy: a tutorial" (2016), table 1, negative weights included; with `separable`
/// the learning rates of Ros and Hansen, "A simple modification in CMA-ES" (PPSN 2008).
struct EvolutionConstants {
  EvolutionConstants(std::size_t d, std::size_t population, bool separable);

  std::vector<double> weights;  ///< [population], best first
  double mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi;
};

/// A value; the same generations give the same distribution.
class Covariance {
 public:
  /// Centred on `mean` (one place an axis), 1/6 wide in each direction. Of each axis
  /// `cells` has where the cells of its values begin, ascending from 0, and the end of the last, 1;
  /// nothing where its values lie dense.
  Covariance(std::vector<double> mean, std::vector<std::vector<double>> cells,
             std::size_t population, bool separable);

  [[nodiscard]] std::size_t axes() const { return mean_.size(); }
  [[nodiscard]] std::size_t population() const { return constants_.weights.size(); }

  /// The point behind a draw `z` of the standard normal distribution [axes]; not bounded.
  [[nodiscard]] std::vector<double> point(std::span<const double> z) const;

  /// Learns from a generation of population() points, best first. A point may come from elsewhere:
  /// a step that is longer than steps can be counts as one of that length (Hansen, "Injecting
  /// external solutions into CMA-ES", 2011).
  void learn(const std::vector<std::vector<double>>& points);

  /// Whether it has become too small, too thin or too wide to find anything more.
  [[nodiscard]] bool exhausted() const;

 private:
  /// Whether only the margin keeps an axis of cells from freezing.
  [[nodiscard]] bool is_held(std::size_t axis) const {
    return !cells_[axis].empty() && stretch_[axis] > 1;
  }
  [[nodiscard]] std::vector<double> whitened(std::span<const double> step) const;
  [[nodiscard]] std::vector<double> step_to(std::span<const double> point) const;
  void move_paths(std::span<const double> step);
  void move_matrix(const std::vector<std::vector<double>>& steps);
  void decompose();
  void keep_margin();

  EvolutionConstants constants_;
  bool separable_;
  std::vector<double> mean_;
  std::vector<std::vector<double>> cells_;
  double sigma_;
  std::vector<double> matrix_;   ///< [n, n]; separable: its diagonal
  std::vector<double> lengths_;  ///< roots of its eigenvalues
  std::vector<double> axes_;     ///< its eigenvectors; separable: none
  std::vector<double> stretch_;  ///< what margins widen each axis by
  std::vector<double> path_sigma_, path_c_;
  bool path_moves_ = true;
  std::uint64_t generation_ = 0;
};

}  // namespace hpo
