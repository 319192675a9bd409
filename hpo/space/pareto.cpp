#include "hpo/space/pareto.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hpo {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double known(double loss) { return std::isnan(loss) ? kInfinite : loss; }

std::vector<Losses> all_known(std::span<const Losses> points) {
  std::vector<Losses> out(points.begin(), points.end());
  for (Losses& point : out) std::ranges::transform(point, point.begin(), known);
  return out;
}

std::vector<std::size_t> in_order(const std::vector<Losses>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) -> const Losses& { return points[i]; });
  return order;
}

/// Finds fronts for points that come in the order of their losses: none is dominated by a later
/// one.
class Sorted {
 public:
  explicit Sorted(const std::vector<Losses>& points) : points_(points) {}

  std::size_t front_of(std::size_t point) {
    std::size_t low = 0, high = fronts_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (is_dominated(point, fronts_[middle]))
        low = middle + 1;
      else
        high = middle;
    }
    if (low == fronts_.size()) fronts_.emplace_back();
    fronts_[low].push_back(point);
    return low;
  }

 private:
  /// Of two losses a front's last point has its least second one.
  [[nodiscard]] bool is_dominated(std::size_t point, const std::vector<std::size_t>& front) const {
    const Losses& losses = points_[point];
    if (losses.size() <= 2) return dominates(points_[front.back()], losses);
    return std::any_of(front.rbegin(), front.rend(),
                       [&](std::size_t other) { return dominates(points_[other], losses); });
  }

  const std::vector<Losses>& points_;
  std::vector<std::vector<std::size_t>> fronts_;
};

/// The volume that `points`, all better than the reference in the first `losses` losses, cover in
/// those.
double volume(std::vector<const Losses*> points, const Losses& reference, std::size_t losses) {
  if (points.empty()) return 0;
  const std::size_t last = losses - 1;
  const auto along = [&](const Losses* p) { return (*p)[last]; };
  if (losses == 1) return reference[0] - along(*std::ranges::min_element(points, {}, along));
  std::ranges::sort(points, {}, along);
  double sum = 0;
  if (losses == 2) {
    double least = reference[0];
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double next = i + 1 < points.size() ? along(points[i + 1]) : reference[1];
      least = std::min(least, (*points[i])[0]);
      sum += (reference[0] - least) * (next - along(points[i]));
    }
    return sum;
  }
  std::vector<const Losses*> slice;
  for (std::size_t i = 0; i < points.size(); ++i) {
    slice.push_back(points[i]);
    const double next = i + 1 < points.size() ? along(points[i + 1]) : reference[last];
    if (next > along(points[i])) sum += (next - along(points[i])) * volume(slice, reference, last);
  }
  return sum;
}

}  // namespace

bool dominates(const Losses& a, const Losses& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = known(a[i]), y = known(b[i]);
    if (x > y) return false;
    better = better || x < y;
  }
  return better;
}

std::vector<std::size_t> fronts_of(std::span<const Losses> points) {
  const std::vector<Losses> losses = all_known(points);
  std::vector<std::size_t> fronts(points.size());
  Sorted sorted(losses);
  const std::vector<std::size_t> order = in_order(losses);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && losses[order[i]] == losses[order[i - 1]];
    fronts[order[i]] = same ? fronts[order[i - 1]] : sorted.front_of(order[i]);
  }
  return fronts;
}

std::vector<double> crowding_of(std::span<const Losses> front) {
  std::vector<double> crowding(front.size(), 0);
  if (front.empty()) return crowding;
  std::vector<std::size_t> order(front.size());
  for (std::size_t loss = 0; loss < front[0].size(); ++loss) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto along = [&](std::size_t i) { return known(front[i][loss]); };
    std::ranges::stable_sort(order, {}, along);
    const double width = along(order.back()) - along(order.front());
    crowding[order.front()] = crowding[order.back()] = kInfinite;
    if (!(width > 0) || std::isinf(width)) continue;
    for (std::size_t i = 1; i + 1 < order.size(); ++i)
      crowding[order[i]] += (along(order[i + 1]) - along(order[i - 1])) / width;
  }
  return crowding;
}

std::vector<std::size_t> least_crowded(std::span<const Losses> front, std::size_t count) {
  const std::vector<double> crowding = crowding_of(front);
  std::vector<std::size_t> order(front.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t i) { return crowding[i]; });
  order.resize(count);
  return order;
}

double hypervolume(std::span<const Losses> points, const Losses& reference) {
  std::vector<const Losses*> inside;
  for (const Losses& point : points) {
    const bool better = std::ranges::equal(
        point, reference, [](double x, double limit) { return std::isfinite(x) && x < limit; });
    if (better) inside.push_back(&point);
  }
  return volume(std::move(inside), reference, reference.size());
}

Losses reference_behind(std::span<const Losses> points) {
  constexpr double kBehind = 0.1;
  Losses worst(points.empty() ? 0 : points[0].size(), -kInfinite);
  for (const Losses& point : points) {
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (std::isfinite(point[i])) worst[i] = std::max(worst[i], point[i]);
    }
  }
  for (double& loss : worst) {
    if (std::isinf(loss)) loss = 0;
    loss += loss == 0 ? kBehind : kBehind * std::abs(loss);
  }
  return worst;
}

std::vector<std::size_t> most_covering(std::span<const Losses> points, std::size_t count) {
  const Losses reference = reference_behind(points);
  std::vector<double> gains;  // at most; the true gain only falls as more are chosen
  for (const Losses& point : points) gains.push_back(hypervolume({&point, 1}, reference));
  std::vector<bool> taken(points.size(), false);
  std::vector<Losses> chosen;
  std::vector<std::size_t> places;
  double covered = 0;
  while (places.size() < std::min(count, points.size())) {
    std::vector<bool> exact(points.size(), false);
    std::size_t best = points.size();
    for (;; best = points.size()) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        if (!taken[i] && (best == points.size() || gains[i] > gains[best])) best = i;
      }
      if (exact[best]) break;
      chosen.push_back(points[best]);
      gains[best] = hypervolume(chosen, reference) - covered;
      chosen.pop_back();
      exact[best] = true;
    }
    taken[best] = true;
    covered += gains[best];
    chosen.push_back(points[best]);
    places.push_back(best);
  }
  return places;
}

}  // namespace hpo
