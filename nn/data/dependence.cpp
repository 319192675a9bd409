#include "nn/data/dependence.h"

// By default it computes in long double, with functions of the host's libm.
#define BOOST_MATH_PROMOTE_DOUBLE_POLICY false

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <numeric>

namespace nn {

namespace {

constexpr std::size_t kStretches = 20;

/// Shares of the classes, squared and summed: how often two independent rows agree.
double agreement_by_chance(const TargetOrder& target) {
  std::vector<double> counts(target.classes, 0);
  for (const std::int32_t label : target.labels) ++counts[static_cast<std::size_t>(label)];
  double sum = 0;
  for (const double count : counts) sum += count * count;
  const auto n = static_cast<double>(target.labels.size());
  return sum / (n * n);
}

/// An agreement of `pairs` pairs beyond chance.
Dependence beyond_chance(double agreed, double chance, double pairs) {
  if (chance >= 1 || pairs < 1) return {};
  return {.part = (agreed - chance) / (1 - chance),
          .deviations = (agreed - chance) / std::sqrt(chance * (1 - chance) / pairs)};
}

/// Sums of squares between and within groups.
struct Squares {
  double between = 0, within = 0, groups = 0;
  double size = 0;  ///< of a group: the mean, corrected for groups of different sizes
};

Squares squares_of(std::span<const double> values, std::span<const std::uint32_t> groups) {
  const std::size_t count = values.empty() ? 0 : std::ranges::max(groups) + std::size_t{1};
  std::vector<double> sums(count, 0), sizes(count, 0);
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums[groups[i]] += values[i];
    ++sizes[groups[i]];
    total += values[i];
  }
  const auto n = static_cast<double>(values.size());
  const double mean = total / n;
  Squares squares;
  double square_sizes = 0;
  for (std::size_t g = 0; g < count; ++g) {
    if (sizes[g] == 0) continue;
    const double off = sums[g] / sizes[g] - mean;
    squares.between += sizes[g] * off * off;
    square_sizes += sizes[g] * sizes[g];
    ++squares.groups;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double off = values[i] - sums[groups[i]] / sizes[groups[i]];
    squares.within += off * off;
  }
  if (squares.groups > 1) squares.size = (n - square_sizes / n) / (squares.groups - 1);
  return squares;
}

}  // namespace

std::vector<double> scaled_ranks(std::span<const double> numbers) {
  std::vector<std::uint32_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return numbers[i]; });
  std::vector<double> ranks(numbers.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && numbers[order[end]] == numbers[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i)
      ranks[order[i]] = (static_cast<double>(begin) + static_cast<double>(end) - 1) / 2;
    begin = end;
  }
  const auto n = static_cast<double>(ranks.size());
  const double mean = (n - 1) / 2;
  double squares = 0;
  for (double& rank : ranks) {
    rank -= mean;
    squares += rank * rank;
  }
  const double unit = squares > 0 ? std::sqrt(n / squares) : 0;
  for (double& rank : ranks) rank *= unit;
  return ranks;
}

TargetOrder order_of(std::span<const double> numbers) { return {.ranks = scaled_ranks(numbers)}; }

TargetOrder order_of(std::span<const std::int32_t> labels, std::size_t classes) {
  TargetOrder target{.labels = {labels.begin(), labels.end()}, .classes = classes};
  std::vector<std::size_t> counts(classes, 0);
  for (const std::int32_t label : labels) ++counts[static_cast<std::size_t>(label)];
  const auto most = static_cast<std::int32_t>(std::ranges::max_element(counts) - counts.begin());
  std::vector<double> commonest(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) commonest[i] = labels[i] == most;
  target.ranks = scaled_ranks(commonest);
  return target;
}

Dependence of_neighbours(const TargetOrder& target, std::span<const std::uint32_t> order) {
  if (order.size() < 2) return {};
  const auto pairs = static_cast<double>(order.size() - 1);
  double sum = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::uint32_t a = order[i - 1], b = order[i];
    sum += target.classes > 0 ? static_cast<double>(target.labels[a] == target.labels[b])
                              : target.ranks[a] * target.ranks[b];
  }
  if (target.classes > 0) return beyond_chance(sum / pairs, agreement_by_chance(target), pairs);
  return {.part = sum / pairs, .deviations = sum / std::sqrt(pairs)};
}

Dependence of_groups(const TargetOrder& target, std::span<const std::uint32_t> groups) {
  if (target.classes == 0) {
    const Squares squares = squares_of(target.ranks, groups);
    const auto n = static_cast<double>(groups.size());
    if (squares.groups < 2 || squares.groups >= n || squares.within <= 0)
      return {.part = squares.within <= 0 ? 1.0 : 0.0,
              .deviations = squares.within <= 0 ? 99.0 : 0};
    const double freedom = squares.groups - 1;
    const double f = squares.between / freedom / (squares.within / (n - squares.groups));
    // The F of independent rows has about the mean 1 and the variance 2 / freedom.
    return {.part = likeness(target.ranks, groups), .deviations = (f - 1) / std::sqrt(2 / freedom)};
  }
  std::vector<std::vector<double>> counts;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] >= counts.size()) counts.resize(groups[i] + std::size_t{1});
    counts[groups[i]].resize(target.classes, 0);
    ++counts[groups[i]][static_cast<std::size_t>(target.labels[i])];
  }
  double agreed = 0, pairs = 0, rows = 0;
  for (const std::vector<double>& of_class : counts) {
    const double size = std::accumulate(of_class.begin(), of_class.end(), 0.0);
    if (size < 2) continue;
    for (const double count : of_class) agreed += count * (count - 1);
    pairs += size * (size - 1);
    rows += size;
  }
  // Pairs of a group share rows: half as many as rows count as independent.
  return pairs == 0 ? Dependence{}
                    : beyond_chance(agreed / pairs, agreement_by_chance(target), rows / 2);
}

double likeness(std::span<const double> numbers, std::span<const std::uint32_t> groups) {
  const Squares squares = squares_of(numbers, groups);
  const auto n = static_cast<double>(numbers.size());
  if (squares.groups < 2 || squares.groups >= n) return 0;
  const double between = squares.between / (squares.groups - 1);
  const double within = squares.within / (n - squares.groups);
  const double sum = between + (squares.size - 1) * within;
  return sum > 0 ? (between - within) / sum : 0;
}

Drift drift_of(std::span<const double> values, std::span<const std::uint32_t> order) {
  if (order.size() < 5 * kStretches) return {};
  std::vector<double> sorted(order.size());
  std::vector<std::uint32_t> stretch(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted[i] = values[order[i]];
    stretch[i] = static_cast<std::uint32_t>(i * kStretches / order.size());
  }
  const Squares squares = squares_of(sorted, stretch);
  if (squares.within <= 0) return {};
  const double between = kStretches - 1, within = static_cast<double>(order.size() - kStretches);
  const double f = squares.between / between / (squares.within / within);
  return {.probability =
              boost::math::cdf(boost::math::complement(boost::math::fisher_f(between, within), f)),
          .part = squares.between / (squares.between + squares.within)};
}

}  // namespace nn
