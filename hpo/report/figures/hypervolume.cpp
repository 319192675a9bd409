// Several metrics: what the front covers, over the trials.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "hpo/log/metrics.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"

namespace hpo::figures {

namespace {

constexpr double kVolumeHeight = 130;

/// The study's objective with a reference for each metric: where the study names none, the worst
/// value of a complete trial that breaks no bound, so that all parts of the search are measured by
/// the same one.
Objective with_references(const report::Gathered& study) {
  Objective objective = study.objective;
  double worst = NAN;
  std::vector<double> worst_of(objective.others.size(), NAN);
  const auto take = [](double& worst_so_far, double value, bool maximize) {
    if (!std::isfinite(value)) return;
    if (std::isnan(worst_so_far) || (maximize ? value < worst_so_far : value > worst_so_far))
      worst_so_far = value;
  };
  for (const TrialRow& row : study.trials) {
    if (row.state != TrialState::complete || !row.value ||
        study.objective.violation(row.metrics) > 0)
      continue;
    take(worst, *row.value, objective.maximize);
    for (std::size_t i = 0; i < worst_of.size(); ++i)
      if (const double* value = find_metric(row.metrics, objective.others[i].name))
        take(worst_of[i], *value, objective.others[i].maximize);
  }
  if (!objective.reference && !std::isnan(worst)) objective.reference = worst;
  for (std::size_t i = 0; i < worst_of.size(); ++i)
    if (!objective.others[i].reference && !std::isnan(worst_of[i]))
      objective.others[i].reference = worst_of[i];
  return objective;
}

/// After each trial; NaN: not measured.
std::vector<double> volumes_of(const report::Gathered& study) {
  const Objective objective = with_references(study);
  std::vector<double> volumes;
  std::vector<TrialRow> front;  // what no trial so far beats
  double now = 0;
  for (const TrialRow& row : study.trials) {
    if (row.state == TrialState::complete && row.value) {
      std::vector<TrialRow> candidates = front;
      candidates.push_back(row);
      const TrialFront next = front_of(candidates, objective);
      if (next.has(row.trial)) {
        std::erase_if(candidates, [&](const TrialRow& one) { return !next.has(one.trial); });
        front = std::move(candidates);
        now = next.hypervolume.value_or(NAN);
      }
    }
    volumes.push_back(now);
  }
  return volumes;
}

}  // namespace

std::optional<Drawn> draw_hypervolume(const report::Gathered& study, double width) {
  if (!study.front || study.front->trials.empty()) return std::nullopt;
  const std::vector<double> volumes = volumes_of(study);
  double most = 0;
  for (const double volume : volumes)
    if (std::isfinite(volume)) most = std::max(most, volume);
  if (most <= 0) return std::nullopt;
  Svg svg(width, kVolumeHeight, base::cat(shown_name(study.info.name), ": hypervolume"),
          "The hypervolume that the Pareto front covers after each trial.");
  const auto last = static_cast<double>(std::max<std::size_t>(volumes.size(), 2) - 1);
  const Plot plot(svg, {0, 0, width - 2, kVolumeHeight - 2},
                  Axis::counted(AxisKind::linear, 0, last), Axis(AxisKind::linear, 0, most),
                  {.x = "trial", .y = "hypervolume"});
  std::vector<Point> line;
  PlotData data{.columns = {"trial", "hypervolume"}, .rows = {}};
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    data.rows.push_back({static_cast<std::int64_t>(i), volumes[i]});
    if (!std::isfinite(volumes[i])) continue;
    const Point here = plot.at(static_cast<double>(i), volumes[i]);
    if (!line.empty() && here.y == line.back().y && i + 1 < volumes.size()) continue;
    if (!line.empty()) line.push_back({here.x, line.back().y});
    line.push_back(here);
  }
  svg.polyline(line, {.color = kWinner, .width = 1.4});
  return Drawn{.svg = std::move(svg).text(), .data = std::move(data)};
}

}  // namespace hpo::figures
