#include "hpo/space/line.h"

#include <algorithm>
#include <cmath>

#include "hpo/space/normal.h"

namespace hpo {

Line::Line(double low, double high, Scale scale, const std::optional<Normal>& prior)
    : scale_(scale), low_(along(low)), high_(along(high)) {
  if (!prior) return;
  prior_ = Normal{along(prior->mean), along(prior->deviation)};
  mirrored_ = low_ > prior_->mean;
  const double a = deviations(low_), b = deviations(high_);
  below_ = normal_cdf(std::min(a, b));
  between_ = normal_mass(std::min(a, b), std::max(a, b));
}

double Line::along(double value) const { return scale_ == Scale::log ? std::log(value) : value; }

double Line::deviations(double at) const {
  const double z = (at - prior_->mean) / prior_->deviation;
  return mirrored_ ? -z : z;
}

double Line::place(double value) const {
  const double at = along(value);
  if (!prior_) return (at - low_) / (high_ - low_);
  const double from = deviations(mirrored_ ? high_ : low_);
  const double share = std::clamp(normal_mass(from, deviations(at)) / between_, 0.0, 1.0);
  return mirrored_ ? 1 - share : share;
}

double Line::value(double place) const {
  double at = low_ + place * (high_ - low_);
  if (prior_) {
    const double z = normal_quantile(below_ + (mirrored_ ? 1 - place : place) * between_);
    at = std::clamp(prior_->mean + (mirrored_ ? -z : z) * prior_->deviation, low_, high_);
  }
  return scale_ == Scale::log ? std::exp(at) : at;
}

Steps::Steps(double min, double step, std::uint64_t count, Scale scale,
             const std::optional<Normal>& prior)
    : min_(min),
      step_(step),
      first_(min - 0.5 * (scale == Scale::log ? std::min(step, min) : step)),
      count_(count),
      line_(first_, edge(count), scale, prior) {}

double Steps::edge(std::uint64_t rank) const {
  return rank == 0 ? first_ : min_ + (static_cast<double>(rank) - 0.5) * step_;
}

std::uint64_t Steps::rank_at(double place) const {
  const double rank = std::round((line_.value(place) - min_) / step_);
  return static_cast<std::uint64_t>(std::clamp(rank, 0.0, static_cast<double>(count_ - 1)));
}

Cell Steps::cell(std::uint64_t rank) const {
  return {.from = line_.place(edge(rank)), .to = line_.place(edge(rank + 1))};
}

}  // namespace hpo
