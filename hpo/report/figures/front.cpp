// Several metrics: the first one against each other one.

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

constexpr double kFrontHeight = 160;

/// Of each trial; NaN: it lacks the metric.
std::vector<double> other_values(const report::Gathered& study, const OtherMetric& metric) {
  std::vector<double> values;
  for (const TrialRow& row : study.trials) {
    const double* value = find_metric(row.metrics, metric.name);
    values.push_back(value == nullptr ? NAN : *value);
  }
  return values;
}

PlotData front_data(const report::Gathered& study) {
  PlotData data{.columns = {"trial", "state", "front", study.info.metric}, .rows = {}};
  for (const OtherMetric& other : study.objective.others) data.columns.push_back(other.name);
  for (const TrialRow& row : study.trials) {
    if (!row.value) continue;
    std::vector<std::optional<ParamValue>> cells{static_cast<std::int64_t>(row.trial),
                                                 std::string(name_of(row.state)),
                                                 study.front->has(row.trial), *row.value};
    for (const OtherMetric& other : study.objective.others) {
      const double* value = find_metric(row.metrics, other.name);
      cells.emplace_back(value == nullptr ? std::nullopt : std::optional<ParamValue>(*value));
    }
    data.rows.push_back(std::move(cells));
  }
  return data;
}

/// The trials that have two numbers.
bool is_in_front_plot(const TrialRow& row, const std::vector<double>& others) {
  return row.value && std::isfinite(*row.value) && std::isfinite(others[row.trial]);
}

void draw_front_line(Svg& svg, const Plot& plot, const report::Gathered& study,
                     const std::vector<double>& others) {
  std::vector<Point> line;
  std::vector<TrialRow> rows;
  for (const std::uint64_t trial : study.front->trials) rows.push_back(study.trials[trial]);
  std::ranges::stable_sort(rows, {}, [&](const TrialRow& row) { return others[row.trial]; });
  std::vector<Point> rings;
  for (const TrialRow& row : rows) {
    const Point here = plot.at(others[row.trial], *row.value);
    // Between two trials of the front nothing better than a stair is known.
    if (!line.empty()) line.push_back({here.x, line.back().y});
    line.push_back(here);
    rings.push_back(here);
  }
  // With more metrics the front is no line in a plane.
  if (study.objective.others.size() == 1) svg.polyline(line, {.color = kData, .width = 0.8});
  svg.rings(rings, 3.4, {.color = kData, .width = 0.8});
}

}  // namespace

std::optional<Drawn> draw_front(const report::Gathered& study, double width) {
  if (!study.front || study.front->trials.empty()) return std::nullopt;
  const std::vector<OtherMetric>& others = study.objective.others;
  const std::string metric = shown_name(study.info.metric);
  const double height = 16 + kFrontHeight * static_cast<double>(others.size());
  Svg svg(width, height, base::cat(shown_name(study.info.name), ": front"),
          base::cat("The ", metric, " of the trials against their other metrics. Ringed trials ",
                    "are on the Pareto front."));
  TrialMarks kinds;
  const Axis y = metric_axis(values_of(study), study.info.maximize);
  for (const TrialRow& row : study.trials)
    if (is_in_front_plot(row, other_values(study, others.front())))
      kinds.add(study, row, {}, y.at(*row.value));
  std::vector<LegendEntry> legend;
  kinds.describe(legend, study);
  legend.push_back({Glyph::ring, kData, "on the front"});
  double top = draw_legend(svg, {0, 0, width, height}, legend);
  const double each = (height - top) / static_cast<double>(others.size());
  for (const OtherMetric& other : others) {
    const std::vector<double> values = other_values(study, other);
    const Plot plot(svg, {0, top, width - 2, top + each - 2}, metric_axis(values, other.maximize),
                    y, {.x = shown_name(other.name), .y = metric});
    draw_front_line(svg, plot, study, values);
    TrialMarks marks;
    for (const TrialRow& row : study.trials)
      if (is_in_front_plot(row, values))
        marks.add(study, row, plot.at(values[row.trial], *row.value), y.at(*row.value));
    marks.draw(svg);
    top += each;
  }
  return Drawn{.svg = std::move(svg).text(), .data = front_data(study)};
}

}  // namespace hpo::figures
