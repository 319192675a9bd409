#pragma once
// A density over points of the unit cube, learned from points: a Parzen mixture with one product
// kernel for each point and one that covers everything (the prior).
//
// Along a numeric axis the kernel is a normal distribution cut off at 0 and 1, centred on the
// point, as wide as the larger of the gaps to its neighbours (at the ends: the inner gap), but no
// narrower than 1 / min(100, points + 2); discrete values weigh what the kernel has over their
// cell. Along an axis of categories a kernel has 1 / (points + 1) everywhere and 1 more at its own.
// Old points weigh less: the youngest 25 one each, the others from 1/points up; the prior weighs
// one. These are the estimators of Bergstra et al., "Algorithms for hyper-parameter optimization"
// (NeurIPS 2011), with the constants that Optuna 5 uses.
//
// Points are added and removed one by one; each costs a few kernels an axis, not all of them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hpo/space/parameter.h"
#include "hpo/space/random.h"

namespace hpo {

/// How a mixture sees one parameter.
struct Axis {
  bool categories = false;      ///< values without an order
  std::uint32_t values = 0;     ///< number of distinct values; 0: dense, or more than 32
  bool dense = true;            ///< values lie dense in [0, 1]
  std::vector<double> edges{};  ///< of the cells of `values`: one more than values
};

[[nodiscard]] Axis axis_of(const Domain& domain);

/// A point along one axis: the middle of its value's cell, the cell, the value's rank.
struct Coordinate {
  double at = 0.5;
  Cell cell;
  std::uint32_t rank = 0;  ///< of an axis with `values`
};

[[nodiscard]] Coordinate coordinate_of(const Domain& domain, const ParamValue& value);

/// Not thread-safe.
class Parzen {
 public:
  /// `ages`: whether old points weigh less.
  explicit Parzen(std::vector<Axis> axes, bool ages = true);

  /// Adds the point of a trial (one coordinate an axis); younger trials have larger numbers.
  void add(std::uint64_t trial, std::span<const Coordinate> point);
  /// Takes a trial's point out again; it must be in.
  void remove(std::uint64_t trial);

  [[nodiscard]] std::size_t size() const { return by_age_.size(); }
  /// The oldest trial whose point is in; there must be one.
  [[nodiscard]] std::uint64_t oldest() const { return by_age_.front().first; }
  [[nodiscard]] std::size_t axes() const { return axes_.size(); }

  /// Draws a point: one place in [0, 1] an axis.
  void sample(Stream& stream, std::span<double> place);

  /// Draws a point around a mixture of two to four points, weighted at random (a category: one of
  /// theirs), with a kernel's width made smaller as a mean's spread is: what is good about each
  /// adds up and what is not cancels (intermediate recombination: Beyer, "Toward a theory of
  /// evolution strategies: on the benefits of sex", Evolutionary Computation 3, 1995). Fewer points
  /// than two: as sample().
  void sample_between(Stream& stream, std::span<double> place);

  /// The log density (up to a constant that depends on the axes alone) at each of `points`, one
  /// after another, axes() coordinates each.
  void score(std::span<const Coordinate> points, std::span<double> log_density);

 private:
  static constexpr std::size_t kChunk = 128;  // kernels that are scored for all points in turn

  /// Kernels along one axis, by slot.
  struct Column {
    std::vector<float> at, inverse;        // numeric: centre, 1 / (sqrt(2) width)
    std::vector<double> width, log_width;  // numeric: standard deviation
    std::vector<double> norm;  // numeric: log of the inverse of the mass (dense: and of the width)
    std::vector<std::uint32_t> rank;    // with values: whose
    std::vector<float> table;           // few ordered values: log mass, [slot][value]
    std::vector<std::uint32_t> sorted;  // numeric: slots of points by centre
    std::vector<double> centre;         // numeric: exact
  };

  std::uint32_t take_slot();
  void grow_slots();
  void place(std::size_t axis, std::uint32_t slot, const Coordinate& coordinate);
  void refresh_widths(std::size_t axis, std::size_t from, std::size_t to);
  void refresh_all();
  void set_width(std::size_t axis, std::uint32_t slot, double width);
  void weigh();
  [[nodiscard]] std::size_t sorted_place(const Column& column, std::uint32_t slot) const;
  [[nodiscard]] double least_width() const;
  static void add_dense(const Column& column, double place, std::size_t from, std::size_t to,
                        float* sums);
  void add_cell(const Column& column, const Coordinate& x, std::span<float> sums) const;
  void add_axis(std::size_t axis, const Coordinate& x, std::span<float> sums) const;
  double sample_axis(std::size_t axis, std::uint32_t slot, Stream& stream) const;
  static double sample_around(double centre, double width, Stream& stream);

  std::vector<Axis> axes_;
  bool ages_;
  std::vector<Column> columns_;
  std::vector<std::uint32_t> free_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_age_;  // trial and slot, oldest first
  std::vector<float> log_weight_;  // by slot: weight and norms; far below all others when not used
  std::vector<double> cumulative_;
  std::vector<float> sums_;  // scratch of score()
  bool weighed_ = false;
  double narrowest_ = 1;  // what least_width() was when widths were last refreshed
};

}  // namespace hpo
