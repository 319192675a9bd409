#include "nn/adapt/grid.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "base/words.h"
#include "nn/fields.h"

namespace nn {
namespace {

constexpr double kNear = 1e-9;  // 1/3 written with ten digits or more is a third

bool is_boundary(double epochs, std::int64_t grid) {
  if (epochs == 0) return true;
  const double at = epochs * static_cast<double>(grid);
  return std::round(at) >= 1 && std::abs(at - std::round(at)) <= kNear * static_cast<double>(grid);
}

}  // namespace

std::int64_t grid_of(std::span<const double> epochs) {
  for (std::int64_t grid = 1; grid <= kMaxGrid; ++grid) {
    if (std::ranges::all_of(epochs, [&](double e) { return is_boundary(e, grid); })) return grid;
  }
  const std::string list = base::listed(epochs, [](double epoch) { return to_text(epoch); });
  throw base::Error(base::Errc::study,
                    "times of " + list + " epochs share no grid of at most " +
                        std::to_string(kMaxGrid) +
                        " boundaries an epoch, expected fractions such as 0.5 or 0.25");
}

std::int64_t boundary_of(double epochs, std::int64_t grid) {
  return std::llround(epochs * static_cast<double>(grid));
}

std::int64_t last_boundary_by(double epochs, std::int64_t grid) {
  return static_cast<std::int64_t>(std::floor((epochs + kNear) * static_cast<double>(grid)));
}

std::int64_t with_a_step(std::int64_t from, std::int64_t until, std::int64_t grid,
                         std::int64_t steps) {
  const std::int64_t epoch_end = (from / grid + 1) * grid;
  const auto steps_by = [&](std::int64_t boundary) {
    return (boundary - from + from % grid) * steps / grid;
  };
  while (until < epoch_end && steps_by(until) == steps_by(from)) ++until;
  return until;
}

Beat Beat::of(double every, double from, double until, std::int64_t epochs, std::int64_t grid) {
  return {.first = boundary_of(from > 0 ? from : every, grid),
          .every = boundary_of(every, grid),
          .last = until > 0 ? boundary_of(until, grid) : epochs * grid - 1};
}

std::optional<std::int64_t> Beat::from(std::int64_t boundary) const {
  const std::int64_t turns = boundary <= first ? 0 : (boundary - first + every - 1) / every;
  const std::int64_t turn = first + turns * every;
  return turn <= last ? std::optional(turn) : std::nullopt;
}

}  // namespace nn
