// Every trial in the order of the search, and the best so far.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "hpo/log/metrics.h"
#include "hpo/report/figures/best_so_far.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"

namespace hpo::figures {

namespace {

constexpr double kHistoryHeight = 150;

/// The best of the baselines by the study's metric.
struct Baseline {
  std::string name;
  double value = 0;
};

std::optional<Baseline> best_baseline(const report::Gathered& study) {
  std::optional<Baseline> best;
  for (const BaselineRow& row : study.baselines) {
    const double* value = find_metric(row.metrics, study.info.metric);
    if (value == nullptr || !std::isfinite(*value)) continue;
    if (!best || study.objective.better(*value, best->value)) best = {row.name, *value};
  }
  return best;
}

PlotData history_data(const report::Gathered& study, const std::vector<double>& best) {
  PlotData data{.columns = {"trial", "state", study.info.metric, "best_so_far"}, .rows = {}};
  for (const TrialRow& row : study.trials) {
    std::optional<ParamValue> value, so_far;
    if (row.value) value = *row.value;
    if (!std::isnan(best[row.trial])) so_far = best[row.trial];
    data.rows.push_back(
        {static_cast<std::int64_t>(row.trial), std::string(name_of(row.state)), value, so_far});
  }
  return data;
}

std::vector<Point> stairs(const Plot& plot, const std::vector<double>& best) {
  std::vector<Point> line;
  double before = NAN;
  for (std::size_t i = 0; i < best.size(); ++i) {
    if (std::isnan(best[i]) || best[i] == before) continue;
    const Point here = plot.at(static_cast<double>(i), best[i]);
    if (!line.empty()) line.push_back({here.x, line.back().y});
    line.push_back(here);
    before = best[i];
  }
  if (!line.empty()) line.push_back({plot.x(static_cast<double>(best.size() - 1)), line.back().y});
  return line;
}

}  // namespace

std::optional<Drawn> draw_history(const report::Gathered& study, double width) {
  const std::vector<double> values = values_of(study);
  if (std::ranges::none_of(values, [](double value) { return std::isfinite(value); }))
    return std::nullopt;
  const std::vector<double> best = best_so_far(study);
  const std::string metric = shown_name(study.info.metric);
  Svg svg(width, kHistoryHeight, base::cat(shown_name(study.info.name), ": history"),
          base::cat("The ", metric, " of each trial in the order of the search, and the best of ",
                    "the trials so far."));
  const Axis y = metric_axis(values, study.info.maximize);
  const auto last = static_cast<double>(std::max<std::size_t>(study.trials.size(), 2) - 1);
  const Axis x = Axis::counted(AxisKind::linear, 0, last);
  // The legend depends on the marks, whose places depend on the legend's height: first count.
  TrialMarks kinds;
  for (const TrialRow& row : study.trials)
    if (std::isfinite(values[row.trial])) kinds.add(study, row, {}, y.at(*row.value));
  const std::optional<Baseline> baseline = best_baseline(study);
  std::vector<LegendEntry> legend;
  kinds.describe(legend, study);
  legend.push_back({Glyph::line, kWinner, "best so far"});
  if (baseline) legend.push_back({Glyph::line, kSoft, shown_name(baseline->name), "3 2", 0.8});
  const double top = draw_legend(svg, {0, 0, width, kHistoryHeight}, legend);
  const Plot plot(svg, {0, top, width - 2, kHistoryHeight - 2}, x, y, {.x = "trial", .y = metric});
  if (baseline) {
    const double level = plot.y(baseline->value);
    svg.line({plot.box().left, level}, {plot.box().right, level},
             {.color = kSoft, .width = 0.8, .dash = "3 2"});
  }
  TrialMarks marks;
  for (const TrialRow& row : study.trials)
    if (std::isfinite(values[row.trial]))
      marks.add(study, row, plot.at(static_cast<double>(row.trial), *row.value), y.at(*row.value));
  // The line lies under the winner and over all others.
  const std::optional<Point> winner = std::exchange(marks.best, std::nullopt);
  marks.draw(svg);
  svg.polyline(stairs(plot, best), {.color = kWinner, .width = 1.4});
  if (winner) svg.diamonds(std::vector<Point>{*winner}, 3.4, kWinner);
  return Drawn{.svg = std::move(svg).text(), .data = history_data(study, best)};
}

}  // namespace hpo::figures
