#include "hpo/samplers/acquisition.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hpo/samplers/improvement.h"
#include "hpo/samplers/minimise.h"

namespace hpo {

namespace {

constexpr std::size_t kRandomPoints = 192;  // points from the whole space
constexpr std::size_t kNeighbours = 24;     // of each leader
constexpr std::size_t kClimbers = 4;        // points that a search starts from
constexpr double kStep = 0.1;               // how far neighbours are, as a share of a range
constexpr std::uint64_t kFew = 16;          // values that are all tried

using Place = std::vector<double>;

struct Candidate {
  double promise;
  Place place;
};

class Search {
 public:
  Search(const Features& features, GaussianProcess& model, double best)
      : features_(features), model_(model), best_(best) {}

  [[nodiscard]] double promise(const Place& place) {
    const Belief belief = model_.at(features_.of(place));
    return log_improvement(belief.mean, belief.deviation, best_).log;
  }

  /// Numbers downhill together, then each axis of steps or words for itself, twice.
  Candidate climbed(Candidate from) {
    for (int round = 0; round < 2; ++round) {
      from = along_numbers(std::move(from));
      const double before = from.promise;
      for (const Features::Axis& axis : features_.axes()) {
        if (axis.values > 0) from = along_values(std::move(from), axis);
      }
      if (from.promise == before) break;
    }
    return from;
  }

 private:
  /// Steps count as dense on the way and are met again at the end.
  Candidate along_numbers(Candidate from) {
    const std::vector<Feature> start = features_.of(from.place);
    std::vector<std::size_t> moving;
    Bounds bounds;
    std::vector<double> x;
    for (std::size_t a = 0; a < start.size(); ++a) {
      if (features_.axes()[a].along == Along::words || start[a].absent ||
          features_.axes()[a].decides)
        continue;
      moving.push_back(a);
      x.push_back(start[a].at);
    }
    if (moving.empty()) return from;
    bounds.low.assign(x.size(), 0);
    bounds.high.assign(x.size(), 1);
    std::vector<Feature> point = start;
    std::vector<double> by_mean(start.size()), by_deviation(start.size());
    const Smooth cost = [&](std::span<const double> at, std::span<double> slope) {
      for (std::size_t i = 0; i < moving.size(); ++i) point[moving[i]].at = at[i];
      const Belief belief = model_.at(point, by_mean, by_deviation);
      const Improvement gain = log_improvement(belief.mean, belief.deviation, best_);
      for (std::size_t i = 0; i < moving.size(); ++i) {
        slope[i] = -gain.by_mean * by_mean[moving[i]] - gain.by_deviation * by_deviation[moving[i]];
      }
      return -gain.log;
    };
    x = minimise(cost, std::move(x), bounds, {.most_steps = 25, .gradient = 0.01});
    Candidate moved = from;
    for (std::size_t i = 0; i < moving.size(); ++i)
      moved.place[features_.axes()[moving[i]].parameter] = x[i];
    moved.promise = promise(moved.place);
    return moved.promise > from.promise ? moved : from;
  }

  Candidate along_values(Candidate from, const Features::Axis& axis) {
    const Domain& domain = features_.domain(axis);
    const std::uint64_t here = *rank_of(domain, from_unit(domain, from.place[axis.parameter]));
    Candidate best = from;
    const auto look = [&](std::uint64_t rank) {
      if (rank == here || rank >= axis.values) return;
      Candidate other = from;
      other.place[axis.parameter] = to_unit(domain, nth_value(domain, rank));
      other.promise = promise(other.place);
      if (other.promise > best.promise) best = std::move(other);
    };
    if (axis.values <= kFew || axis.along == Along::words) {
      for (std::uint64_t rank = 0; rank < axis.values; ++rank) look(rank);
    } else {
      look(here + 1);
      if (here > 0) look(here - 1);
    }
    return best;
  }

  const Features& features_;
  GaussianProcess& model_;
  double best_;
};

/// A few coordinates moved by a normal step or drawn anew.
Place neighbour(const Place& of, const Features& features, Stream& stream) {
  Place place = of;
  const double chance = std::min(1.0, 3.0 / static_cast<double>(features.axes().size()));
  for (const Features::Axis& axis : features.axes()) {
    const double lot = stream.uniform(), anew = stream.uniform(), step = stream.normal();
    if (lot >= chance) continue;
    double& u = place[axis.parameter];
    u = axis.along == Along::words ? anew : std::clamp(u + kStep * step, 0.0, 1.0);
  }
  return place;
}

}  // namespace

std::vector<std::vector<double>> promising(const Features& features, GaussianProcess& model,
                                           double best, std::span<const Place> leaders,
                                           std::size_t parameters, Stream& stream) {
  Search search(features, model, best);
  std::vector<Candidate> pool;
  const auto consider = [&](Place place) {
    const double promise = search.promise(place);
    pool.push_back({promise, std::move(place)});
  };
  for (std::size_t i = 0; i < kRandomPoints; ++i) {
    Place place(parameters);
    for (double& u : place) u = stream.uniform();
    consider(std::move(place));
  }
  for (const Place& leader : leaders) {
    for (std::size_t i = 0; i < kNeighbours; ++i) consider(neighbour(leader, features, stream));
  }
  const auto better = [](const Candidate& a, const Candidate& b) { return a.promise > b.promise; };
  std::ranges::stable_sort(pool, better);
  for (std::size_t i = 0; i < std::min(kClimbers, pool.size()); ++i)
    pool[i] = search.climbed(std::move(pool[i]));
  std::ranges::stable_sort(pool, better);
  std::vector<Place> places;
  for (Candidate& candidate : pool) places.push_back(std::move(candidate.place));
  return places;
}

}  // namespace hpo
