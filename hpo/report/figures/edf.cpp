// The share of the complete trials that have a value or less.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"

namespace hpo::figures {

namespace {

constexpr double kEdfHeight = 140;

/// Values and the shares of trials up to them.
struct Step {
  double value = 0, share = 0;
};

std::vector<Step> edf_steps(const report::Gathered& study) {
  std::vector<double> values;
  for (const TrialRow& row : study.trials)
    if (row.state == TrialState::complete && row.value && std::isfinite(*row.value) &&
        study.objective.violation(row.metrics) <= 0)
      values.push_back(*row.value);
  std::ranges::sort(values);
  std::vector<Step> steps;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i + 1 == values.size() || values[i + 1] != values[i])
      steps.push_back({.value = values[i],
                       .share = static_cast<double>(i + 1) / static_cast<double>(values.size())});
  return steps;
}

}  // namespace

std::optional<Drawn> draw_edf(const report::Gathered& study, double width) {
  const std::vector<Step> steps = edf_steps(study);
  if (steps.empty()) return std::nullopt;
  const std::string metric = shown_name(study.info.metric);
  Svg svg(width, kEdfHeight, base::cat(shown_name(study.info.name), ": edf"),
          base::cat("The share of the complete trials whose ", metric, " is a value or less."));
  std::vector<double> values;
  for (const Step& step : steps) values.push_back(step.value);
  double top = 0;
  if (study.best)
    top = draw_legend(svg, {0, 0, width, kEdfHeight},
                      {{Glyph::diamond, kWinner, base::cat("trial ", study.best->trial)}});
  const Plot plot(svg, {0, top, width - 2, kEdfHeight - 2},
                  metric_axis(values, study.info.maximize), Axis(AxisKind::linear, 0, 1),
                  {.x = metric, .y = "share of complete trials"});
  std::vector<Point> line;
  double before = 0;
  for (const Step& step : steps) {
    line.push_back(plot.at(step.value, before));
    line.push_back(plot.at(step.value, step.share));
    before = step.share;
  }
  line.push_back({plot.box().right, plot.y(1)});
  svg.polyline(line, {.color = kData, .width = 1.4});
  if (study.best && study.best->value && std::isfinite(*study.best->value)) {
    const double share = study.info.maximize ? 1 : steps.front().share;
    svg.diamonds(std::vector<Point>{plot.at(*study.best->value, share)}, 3.4, kWinner);
  }
  PlotData data{.columns = {"metric", "value", "share"}, .rows = {}};
  for (const Step& step : steps) data.rows.push_back({study.info.metric, step.value, step.share});
  return Drawn{.svg = std::move(svg).text(), .data = std::move(data)};
}

}  // namespace hpo::figures
