#pragma once
// Whether rows of a table depend on each other: what a random split would hide.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nn {

/// The target of some rows, for tests that look at its order alone.
struct TargetOrder {
  std::vector<double> ranks;         ///< of mean 0 and variance 1; of classes: is it the commonest
  std::vector<std::int32_t> labels;  ///< of classes; empty for numbers
  std::size_t classes = 0;           ///< 0: numbers
};
[[nodiscard]] TargetOrder order_of(std::span<const double> numbers);
[[nodiscard]] TargetOrder order_of(std::span<const std::int32_t> labels, std::size_t classes);

/// Returns the ranks of numbers, equal ones sharing the middle, scaled to mean 0 and variance 1;
/// all 0 if the numbers are equal.
[[nodiscard]] std::vector<double> scaled_ranks(std::span<const double> numbers);

/// A dependence between rows: the part of the target that it explains, from 0 to 1, and how many
/// standard deviations that is above what independent rows would show.
struct Dependence {
  double part = 0, deviations = 0;
  [[nodiscard]] bool clear() const { return part > 0.1 && deviations > 5; }
};

/// Compares rows that follow one another in `order`: the rank correlation of neighbours, or how
/// often they have the same class.
[[nodiscard]] Dependence of_neighbours(const TargetOrder& target,
                                       std::span<const std::uint32_t> order);

/// Compares rows of the same group, `groups` from 0: how much they resemble each other.
[[nodiscard]] Dependence of_groups(const TargetOrder& target,
                                   std::span<const std::uint32_t> groups);
/// The same of any numbers, as their intraclass correlation (Donner 1986, equation 2.1).
[[nodiscard]] double likeness(std::span<const double> numbers,
                              std::span<const std::uint32_t> groups);

/// Returns the probability that independent rows differ as much between 20 stretches of `order` as
/// `values` do (one-way analysis of variance), and the part of the variance between them.
struct Drift {
  double probability = 1, part = 0;
};
[[nodiscard]] Drift drift_of(std::span<const double> values, std::span<const std::uint32_t> order);

}  // namespace nn
