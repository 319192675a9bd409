#pragma once
// Where the values of a range lie along [0, 1]: equal lengths carry equal prior weight.

#include <cstdint>

#include "hpo/space/parameter.h"

namespace hpo {

/// The values between two ends. Linear or in the logarithm; with a prior, by what of the normal
/// distribution lies below a value, its part between the ends counted as the whole.
class Line {
 public:
  /// low < high; Scale::log needs low > 0.
  Line(double low, double high, Scale scale, const std::optional<Normal>& prior);

  /// In [0, 1] for values between the ends.
  [[nodiscard]] double place(double value) const;
  /// The value at a place in [0, 1]; not rounded.
  [[nodiscard]] double value(double place) const;

 private:
  [[nodiscard]] double along(double value) const;
  [[nodiscard]] double deviations(double value) const;

  Scale scale_;
  double low_, high_;               // values, in the logarithm with scale log
  std::optional<Normal> prior_;     // likewise
  bool mirrored_ = false;           // counted from above: the tail that is there is the upper one
  double below_ = 0, between_ = 1;  // mass below the end that is counted from, and between the ends
};

/// Values min, min + step, ... along a line whose ends are half a step beyond the first and the
/// last; on a log scale the lower one is no nearer to 0 than half of the first value.
class Steps {
 public:
  Steps(double min, double step, std::uint64_t count, Scale scale,
        const std::optional<Normal>& prior);

  [[nodiscard]] std::uint64_t rank_at(double place) const;
  [[nodiscard]] Cell cell(std::uint64_t rank) const;

 private:
  [[nodiscard]] double edge(std::uint64_t rank) const;

  double min_, step_, first_;
  std::uint64_t count_;
  Line line_;
};

}  // namespace hpo
