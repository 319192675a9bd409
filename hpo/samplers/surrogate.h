#pragma once
// What Bayesian optimisation knows of a study's trials: features of their points and losses as a
// model takes them.

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "hpo/samplers/gaussian_process.h"
#include "hpo/samplers/merit.h"
#include "hpo/space/space.h"

namespace hpo {

/// How a space's points look to a model: one axis for each parameter that can be more than one
/// thing.
class Features {
 public:
  explicit Features(const Space& space);

  struct Axis {
    std::size_t parameter;
    Along along;
    std::uint64_t values;  ///< number of distinct ones; 0: dense
    bool decides;          ///< whether conditions name it
  };
  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] std::vector<Along> along() const;
  [[nodiscard]] const Domain& domain(const Axis& axis) const {
    return space_.parameters()[axis.parameter].domain;
  }

  /// One feature an axis.
  [[nodiscard]] std::vector<Feature> of(const Params& params) const;
  /// Of a point of the unit cube, one coordinate a parameter.
  [[nodiscard]] std::vector<Feature> of(std::span<const double> place) const;

 private:
  const Space& space_;
  std::vector<Axis> axes_;
  bool conditional_ = false;
};

/// What losses are measured by: a middling one, and how far below it the best is.
struct Yardstick {
  double middle = 0, spread = 1;
};

/// By the trials that ended first, which were spread over the whole space; by all where too few of
/// those have a loss.
[[nodiscard]] Yardstick yardstick(std::span<const Merit> first, std::span<const Merit> all);

/// The losses of ended trials as a model takes them: mean 0, deviation 1; see gp.h for what becomes
/// of bad ones. Lower is better.
[[nodiscard]] std::vector<double> tamed(std::span<const Merit> trials, const Yardstick& by);

/// What is known of each trial: its last record, in their order. A trial that waited has several.
[[nodiscard]] std::vector<Merit> last_of_each(std::span<const Merit> records);

/// At most `most` of the trials, in the order of `ended`: the best half and the newest half.
[[nodiscard]] std::vector<Merit> remembered(std::span<const Merit> ended, std::size_t most);

}  // namespace hpo
