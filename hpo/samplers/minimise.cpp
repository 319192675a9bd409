#include "hpo/samplers/minimise.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace hpo {

namespace {

using Vector = std::vector<double>;

constexpr std::size_t kRemembered = 8;  // steps that shape the next one
constexpr int kShorter = 20;            // times that a step is halved
constexpr double kDecrease = 1e-4;      // of what the gradient promises

double product(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void add(Vector& to, const Vector& from, double times) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += times * from[i];
}

class Descent {
 public:
  Descent(const Smooth& function, Vector x, const Bounds& bounds)
      : function_(function), bounds_(bounds), x_(std::move(x)), gradient_(x_.size()) {
    value_ = function_(x_, gradient_);
  }

  Vector run(const Effort& effort) {
    for (int step = 0; step < effort.most_steps; ++step) {
      const Vector slope = free_part(gradient_);
      double steepest = 0;
      for (const double g : slope) steepest = std::max(steepest, std::abs(g));
      if (!(steepest > effort.gradient)) break;
      Vector direction = direction_along(slope);
      if (!(product(direction, slope) < 0)) {
        memory_.clear();
        direction = direction_along(slope);
      }
      if (!go(direction)) {
        if (memory_.empty()) break;
        memory_.clear();
      }
    }
    return x_;
  }

 private:
  struct Pair {
    Vector step, change;
    double inverse;  // of their product
  };

  /// Without what pushes against a bound.
  [[nodiscard]] Vector free_part(Vector gradient) const {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      if ((x_[i] <= bounds_.low[i] && gradient[i] > 0) ||
          (x_[i] >= bounds_.high[i] && gradient[i] < 0))
        gradient[i] = 0;
    }
    return gradient;
  }

  /// Downhill, as the remembered steps bend it.
  [[nodiscard]] Vector direction_along(const Vector& slope) const {
    Vector d(slope.size());
    add(d, slope, -1);
    if (memory_.empty()) {
      const double length = std::sqrt(product(slope, slope));
      for (double& part : d) part *= std::min(1.0, 0.1 / length);
      return d;
    }
    Vector factors;
    for (auto pair = memory_.rbegin(); pair != memory_.rend(); ++pair) {
      factors.push_back(pair->inverse * product(pair->step, d));
      add(d, pair->change, -factors.back());
    }
    const Pair& last = memory_.back();
    const double scale = 1 / (last.inverse * product(last.change, last.change));
    for (double& part : d) part *= scale;
    for (const Pair& pair : memory_) {
      const double back = pair.inverse * product(pair.change, d);
      add(d, pair.step, factors.back() - back);
      factors.pop_back();
    }
    for (std::size_t i = 0; i < d.size(); ++i) {
      if (slope[i] == 0) d[i] = 0;
    }
    return d;
  }

  /// Takes the longest of ever shorter steps that leads down far enough; false when none does.
  bool go(const Vector& direction) {
    double length = 1;
    for (int i = 0; i < kShorter; ++i, length /= 2) {
      Vector x = x_;
      add(x, direction, length);
      for (std::size_t k = 0; k < x.size(); ++k)
        x[k] = std::clamp(x[k], bounds_.low[k], bounds_.high[k]);
      Vector step = x, gradient(x.size());
      add(step, x_, -1);
      const double value = function_(x, gradient);
      if (!(value <= value_ + kDecrease * product(gradient_, step))) continue;
      remember(std::move(step), gradient);
      x_ = std::move(x);
      gradient_ = std::move(gradient);
      const bool moved = value < value_;
      value_ = value;
      return moved;
    }
    return false;
  }

  void remember(Vector step, const Vector& gradient) {
    Vector change = gradient;
    add(change, gradient_, -1);
    const double curvature = product(step, change);
    if (!(curvature > 1e-10 * product(change, change))) return;
    memory_.push_back({std::move(step), std::move(change), 1 / curvature});
    if (memory_.size() > kRemembered) memory_.pop_front();
  }

  const Smooth& function_;
  const Bounds& bounds_;
  Vector x_, gradient_;
  double value_ = 0;
  std::deque<Pair> memory_;
};

}  // namespace

std::vector<double> minimise(const Smooth& function, std::vector<double> x, const Bounds& bounds,
                             const Effort& effort) {
  return Descent(function, std::move(x), bounds).run(effort);
}

}  // namespace hpo
