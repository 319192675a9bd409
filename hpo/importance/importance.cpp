#include "hpo/importance/importance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "hpo/space/normal.h"

namespace hpo {

namespace {

constexpr double kBest = 0.1;  // share of the trials that count as the best
constexpr std::size_t kFewestBest = 2;
constexpr std::uint64_t kMostCells = 50;
constexpr double kNothing = 1e-12;  // added to densities that are divided by

/// Smaller is better; equal ranks are equally good.
using Rank = std::tuple<bool, bool, std::int64_t, double, double>;
Rank rank_of(const RankedTrial& outcome) {
  const double loss = std::isnan(outcome.loss) ? INFINITY : outcome.loss;
  const double broken = std::isnan(outcome.violation) ? INFINITY : outcome.violation;
  return {broken > 0, !outcome.complete, outcome.complete ? 0 : -outcome.step, broken, loss};
}

using Counts = std::vector<double>;  // of trials by cell

/// How a parameter's values lie on its grid.
struct Grid {
  const Domain& domain;
  bool dense;
  std::size_t cells;

  explicit Grid(const Domain& of) : domain(of) {
    const auto values = cardinality(of);
    dense = !values;
    cells = static_cast<std::size_t>(
        has_order(of) ? std::min(values.value_or(kMostCells), kMostCells) : *values);
  }

  /// Of a dense domain the outermost cells are half as wide, so that its ends are cells' middles.
  [[nodiscard]] std::size_t cell(const ParamValue& value) const {
    if (!has_order(domain)) return *rank_of(domain, value);
    const double u = to_unit(domain, value), last = static_cast<double>(cells - 1);
    const double at = dense ? std::round(u * last) : std::floor(u * static_cast<double>(cells));
    return static_cast<std::size_t>(std::clamp(at, 0.0, last));
  }
};

/// The cell that holds the trial of this number, trials counted in the order of their cells.
std::size_t cell_of_trial(const Counts& counts, double number) {
  double sum = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    last = i;
    sum += counts[i];
    if (sum >= number) return i;
  }
  return last;
}

/// Scott's rule, by the smaller of deviation and quartiles' distance; never so narrow that a kernel
/// leaves its cell.
double width_of(const Counts& counts, double trials) {
  double mean = 0, squares = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    mean += static_cast<double>(i) * counts[i] / trials;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double off = static_cast<double>(i) - mean;
    squares += off * off * counts[i];
  }
  const double deviation = std::sqrt(squares / std::max(1.0, trials - 1));
  const double quartiles =
      static_cast<double>(cell_of_trial(counts, std::floor(trials * 3 / 4) + 0.5)) -
      static_cast<double>(cell_of_trial(counts, std::floor(trials / 4)));
  const double scott = 1.059 * std::min(quartiles / 1.34, deviation) * std::pow(trials, -0.2);
  return std::max(scott, 0.5 / 1.64);
}

/// What kernels over a list without an order have: each value that was seen has one, which leaves a
/// little to all values.
std::vector<double> density_of_words(const Counts& counts, double trials) {
  const double words = static_cast<double>(counts.size());
  const double kernels = 1 + words - static_cast<double>(std::ranges::count(counts, 0.0));
  std::vector<double> density(counts.size(), 1 / words / (trials + 1));
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double weight = counts[k] / (trials + 1) / (1 + words / kernels);
    for (double& cell : density) cell += weight / kernels;
    density[k] += weight;
  }
  return density;
}

/// Adds a normal kernel that is cut off at the ends of the grid.
void add_kernel(std::vector<double>& density, double weight, double centre, double width) {
  const double end = static_cast<double>(density.size()) - 0.5;
  const double inside = normal_mass((-0.5 - centre) / width, (end - centre) / width);
  for (std::size_t i = 0; i < density.size(); ++i) {
    const double off = static_cast<double>(i) - centre;
    density[i] += weight / inside * normal_mass((off - 0.5) / width, (off + 0.5) / width);
  }
}

/// The density of each cell; they sum to 1. One kernel more than there are trials covers the whole
/// grid, so that a few trials say little.
std::vector<double> density_of(const Counts& counts, bool ordered) {
  const double trials = std::accumulate(counts.begin(), counts.end(), 0.0);
  if (!ordered) return density_of_words(counts, trials);
  std::vector<double> density(counts.size());
  const double width = width_of(counts, trials), cells = static_cast<double>(counts.size());
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (counts[k] > 0) add_kernel(density, counts[k] / (trials + 1), static_cast<double>(k), width);
  }
  add_kernel(density, 1 / (trials + 1), (cells - 1) / 2, cells);
  return density;
}

double divergence(const std::vector<double>& best, const std::vector<double>& all) {
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double ratio = (best[i] + kNothing) / (all[i] + kNothing) - 1;
    sum += (all[i] + kNothing) * ratio * ratio;
  }
  return sum;
}

/// How far the best trials' values are from all trials', before it is compared with others'.
Importance weigh(const Parameter& parameter, std::span<const RankedTrial> outcomes,
                 const std::vector<bool>& best) {
  const Grid grid(parameter.domain);
  Counts all(grid.cells), good(grid.cells);
  Importance importance{.parameter = parameter.name};
  double chosen = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const ParamValue* value = outcomes[i].params.find(parameter.name);
    if (value == nullptr) continue;
    ++importance.trials;
    ++all[grid.cell(*value)];
    if (!best[i]) continue;
    ++good[grid.cell(*value)];
    ++chosen;
  }
  if (chosen == 0) return importance;
  const bool ordered = has_order(parameter.domain);
  const double among_best = chosen / static_cast<double>(std::ranges::count(best, true));
  const double among_all =
      static_cast<double>(importance.trials) / static_cast<double>(outcomes.size());
  importance.share = divergence(density_of(good, ordered), density_of(all, ordered)) * among_best *
                     among_best / among_all;
  return importance;
}

}  // namespace

std::vector<bool> best_tenth(std::span<const RankedTrial> outcomes) {
  std::vector<Rank> ranks;
  for (const RankedTrial& outcome : outcomes) ranks.push_back(rank_of(outcome));
  auto sorted = ranks;
  std::ranges::sort(sorted);
  const auto feasible = static_cast<std::size_t>(
      std::ranges::count(outcomes, 0.0, [](const RankedTrial& one) { return one.violation; }));
  const auto tenth =
      static_cast<std::size_t>(std::ceil(kBest * static_cast<double>(outcomes.size())));
  const std::size_t share = feasible > 0 ? std::min(tenth, feasible) : tenth;
  const auto& last = sorted[std::max(share, kFewestBest) - 1];
  std::vector<bool> best;
  for (const auto& rank : ranks) best.push_back(rank <= last);
  return best;
}

std::vector<Importance> importance_of(const Space& space, std::span<const RankedTrial> outcomes) {
  if (outcomes.size() < kFewestOutcomes) return {};
  const std::vector<bool> best = best_tenth(outcomes);
  std::vector<Importance> all;
  double sum = 0;
  for (const Parameter& parameter : space.parameters()) {
    if (cardinality(parameter.domain) == 1) continue;
    all.push_back(weigh(parameter, outcomes, best));
    sum += all.back().share;
  }
  for (Importance& importance : all)
    importance.share = sum > 0 ? importance.share / sum : 1 / static_cast<double>(all.size());
  std::ranges::stable_sort(all, std::ranges::greater{}, &Importance::share);
  return all;
}

}  // namespace hpo
