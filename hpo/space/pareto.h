#pragma once
// What is best where several numbers count: domination, fronts, how crowded they are, how much they
// cover.
//
// A point holds one loss a metric, lower is better, all points of a call equally many. A loss that
// is no number counts as infinite.

#include <cstddef>
#include <span>
#include <vector>

namespace hpo {

using Losses = std::vector<double>;

/// Whether `a` is nowhere worse than `b` and somewhere better.
[[nodiscard]] bool dominates(const Losses& a, const Losses& b);

/// The front of each point: 0 is dominated by none, 1 by points of 0 alone, and so on. Of two
/// losses in n log n; of more by the search of Zhang et al., "An efficient approach to
/// nondominated sorting for evolutionary multiobjective optimization" (IEEE TEC 19, 2015), with
/// binary search.
[[nodiscard]] std::vector<std::size_t> fronts_of(std::span<const Losses> points);

/// How far apart each point's neighbours along its front are, summed over the losses, each as a
/// share of the front's width there; infinite at the ends (Deb et al., "A fast and elitist
/// multiobjective genetic algorithm: NSGA-II", IEEE TEC 6, 2002, section III B).
[[nodiscard]] std::vector<double> crowding_of(std::span<const Losses> front);

/// The volume between `reference` and the points that are better than it everywhere; exact, by
/// slicing one loss after another: n log n for two losses, one n more for each further one.
[[nodiscard]] double hypervolume(std::span<const Losses> points, const Losses& reference);

/// A reference behind all points: a tenth of its size worse than the worst finite loss.
[[nodiscard]] Losses reference_behind(std::span<const Losses> points);

/// Places of the `count` points of a front that are farthest from their neighbours.
[[nodiscard]] std::vector<std::size_t> least_crowded(std::span<const Losses> front,
                                                     std::size_t count);

/// Places of `count` points that cover nearly as much as any `count` of them can: one after
/// another the one that adds the most (Guerreiro et al., "Greedy hypervolume subset selection in
/// low dimensions", Evolutionary Computation 24, 2016). Among equals the first.
[[nodiscard]] std::vector<std::size_t> most_covering(std::span<const Losses> points,
                                                     std::size_t count);

}  // namespace hpo
