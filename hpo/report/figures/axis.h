#pragma once
// Axes: where values lie, and which of them are marked. Pages draw with the same rules
// (page/scale.js).

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hpo/report/gathered.h"

namespace hpo::figures {

/// `share`: values up to 1 by the logarithm of their distance from 1.
enum class AxisKind : std::uint8_t { linear, log, share, words };

/// A mark of an axis: its text, or a number to a power.
struct Tick {
  double value = 0;
  std::string text, exponent = {};
};

class Axis {
 public:
  /// `nearest`: the least distance from 1 that a share axis tells apart.
  Axis(AxisKind kind, double low, double high, double nearest = 1e-4);
  /// An axis whose marks are whole numbers.
  [[nodiscard]] static Axis counted(AxisKind kind, double low, double high);
  /// Places in a list of words, each in the middle of its part of the axis.
  [[nodiscard]] static Axis of_words(std::vector<std::string> words);

  [[nodiscard]] AxisKind kind() const { return kind_; }
  /// 0 at the low end, 1 at the high one; of values outside less or more.
  [[nodiscard]] double at(double value) const;
  /// The same, no further than the ends.
  [[nodiscard]] double inside(double value) const;
  /// At most about `most`, never close to each other. Words: all of them.
  [[nodiscard]] std::vector<Tick> ticks(std::size_t most) const;
  /// "valid.loss (log scale)".
  [[nodiscard]] std::string title(const std::string& name) const;
  /// The share of the axis that one word has; 1 of numbers.
  [[nodiscard]] double part() const {
    return words_.empty() ? 1 : 1 / static_cast<double>(words_.size());
  }

 private:
  [[nodiscard]] double turned(double value) const;
  [[nodiscard]] std::vector<double> candidates(std::size_t most) const;

  AxisKind kind_;
  double low_, high_, nearest_, from_ = 0, to_ = 1;
  bool is_counted_ = false;
  std::vector<std::string> words_;
};

/// The axis of a metric: from the worst twentieth to the best value. Values that are no numbers do
/// not count; without any number the axis goes from 0 to 1.
[[nodiscard]] Axis metric_axis(const std::vector<double>& values, bool maximize);

/// The axis of a parameter, by its domain.
[[nodiscard]] Axis parameter_axis(const report::ParameterColumn& column);

/// The q-quantile of ascending values, which must not be empty.
[[nodiscard]] double quantile_of(const std::vector<double>& ascending, double q);

}  // namespace hpo::figures
