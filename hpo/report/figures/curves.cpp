// How the trials learned.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"

namespace hpo::figures {

namespace {

constexpr double kCurvesHeight = 160;
constexpr std::size_t kMostLines = 300;  // trials: of more, bands are drawn
constexpr std::size_t kOnTop = 10;       // the best, over the others

/// Rungs that grow by a factor are as far from each other as their logarithms.
Axis step_axis(const report::Curves& curves) {
  std::map<std::int64_t, std::size_t> steps;
  for (const std::int64_t step : curves.step) ++steps[step];
  const auto low = static_cast<double>(steps.begin()->first);
  const auto high = static_cast<double>(steps.rbegin()->first);
  const bool log = low > 0 && high / low >= 9 && steps.size() <= 12;
  return Axis::counted(log ? AxisKind::log : AxisKind::linear, log ? low : std::min(low, 0.0),
                       std::max(high, 1.0));
}

/// What all trials had at a step.
struct AtStep {
  std::int64_t step = 0;
  std::vector<double> values;  ///< ascending
};

std::vector<AtStep> by_step(const report::Curves& curves) {
  std::map<std::int64_t, std::vector<double>> all;
  for (std::size_t i = 0; i < curves.points(); ++i)
    if (std::isfinite(curves.value[i])) all[curves.step[i]].push_back(curves.value[i]);
  std::vector<AtStep> out;
  for (auto& [step, values] : all) {
    std::ranges::sort(values);
    out.push_back({.step = step, .values = std::move(values)});
  }
  return out;
}

class CurvesPicture {
 public:
  CurvesPicture(const report::Gathered& study, Svg& svg, const Plot& plot)
      : study_(study), svg_(svg), plot_(plot) {}

  void draw_lines() {
    for (const bool complete : {false, true}) {
      std::vector<std::vector<Point>> lines;
      std::vector<Point> single;
      for (const TrialRow& row : study_.trials) {
        if ((row.state == TrialState::complete) != complete) continue;
        std::vector<Point> line = points(row.trial);
        if (line.size() == 1) single.push_back(line.front());
        if (line.size() > 1) lines.push_back(std::move(line));
      }
      const std::string_view color = complete ? kData : kStopped;
      svg_.polylines(lines, {.color = color, .width = 0.6, .opacity = 0.6});
      svg_.dots(single, 1, color, 0.6);
    }
  }

  void draw_bands(const std::vector<AtStep>& steps) {
    for (const auto& [q, opacity] : {std::pair(0.05, 0.2), std::pair(0.25, 0.35)}) {
      std::vector<Point> edge, back;
      for (const AtStep& at : steps) {
        const auto step = static_cast<double>(at.step);
        edge.push_back(plot_.at(step, quantile_of(at.values, q)));
        back.push_back(plot_.at(step, quantile_of(at.values, 1 - q)));
      }
      edge.insert(edge.end(), back.rbegin(), back.rend());
      svg_.area(edge, kData, opacity);
    }
    std::vector<Point> median;
    for (const AtStep& at : steps)
      median.push_back(plot_.at(static_cast<double>(at.step), quantile_of(at.values, 0.5)));
    svg_.polyline(median, {.color = kData, .width = 1.2, .dash = "4 2"});
  }

  /// The best trials, the winner last.
  void draw_best() {
    const std::size_t count = std::min(kOnTop, study_.ranking.size());
    for (std::size_t i = count; i-- > 0;) {
      const std::size_t trial = study_.ranking[i];
      const bool best = study_.best && trial == study_.best->trial;
      if (!best && study_.trials[trial].state == TrialState::failed) continue;
      svg_.polyline(points(trial), {.color = best ? kWinner : kInk, .width = best ? 1.8 : 0.5});
    }
  }

 private:
  [[nodiscard]] std::vector<Point> points(std::size_t trial) const {
    std::vector<Point> line;
    const report::Curves& curves = study_.curves;
    for (std::size_t i = curves.begin(trial); i < curves.end(trial); ++i)
      if (std::isfinite(curves.value[i]))
        line.push_back(plot_.at(static_cast<double>(curves.step[i]), curves.value[i]));
    return line;
  }

  const report::Gathered& study_;
  Svg& svg_;
  const Plot& plot_;
};

PlotData lines_data(const report::Gathered& study) {
  PlotData data{.columns = {"trial", study.unit(), study.info.metric}, .rows = {}};
  const report::Curves& curves = study.curves;
  for (const TrialRow& row : study.trials)
    for (std::size_t i = curves.begin(row.trial); i < curves.end(row.trial); ++i)
      data.rows.push_back({static_cast<std::int64_t>(row.trial), curves.step[i], curves.value[i]});
  return data;
}

PlotData bands_data(const report::Gathered& study, const std::vector<AtStep>& steps) {
  PlotData data{.columns = {study.unit(), "trials", "q05", "q25", "median", "q75", "q95"},
                .rows = {}};
  for (const AtStep& at : steps) {
    std::vector<std::optional<ParamValue>> cells{at.step,
                                                 static_cast<std::int64_t>(at.values.size())};
    for (const double q : {0.05, 0.25, 0.5, 0.75, 0.95})
      cells.emplace_back(quantile_of(at.values, q));
    data.rows.push_back(std::move(cells));
  }
  return data;
}

}  // namespace

std::optional<Drawn> draw_curves(const report::Gathered& study, double width) {
  const std::vector<AtStep> steps = by_step(study.curves);
  if (steps.empty()) return std::nullopt;
  const bool bands = study.trials.size() > kMostLines;
  const std::string metric = shown_name(study.info.metric);
  Svg svg(width, kCurvesHeight, base::cat(shown_name(study.info.name), ": curves"),
          bands ? base::cat("How the ", metric, " of the trials that reached each ", study.unit(),
                            " was spread.")
                : base::cat("The ", metric, " that each trial reported."));
  std::vector<LegendEntry> legend;
  if (study.best)
    legend.push_back({Glyph::line, kWinner, base::cat("trial ", study.best->trial), "", 1.8});
  if (study.ranking.size() > 1)
    legend.push_back({Glyph::line, kInk, study.best ? "next best" : "best", "", 0.5});
  if (bands) {
    legend.push_back({Glyph::line, kData, "median", "4 2", 1.2});
    legend.push_back({Glyph::area, "#7da692", "middle half"});
    legend.push_back({Glyph::area, "#d5e2dc", "middle 90%"});
  } else {
    if (study.counts.complete > 0) legend.push_back({Glyph::line, kData, "complete", "", 0.8});
    if (static_cast<std::size_t>(study.counts.complete) < study.trials.size())
      legend.push_back({Glyph::line, kStopped, "not complete", "", 0.8});
  }
  const double top = draw_legend(svg, {0, 0, width, kCurvesHeight}, legend);
  const Plot plot(svg, {0, top, width - 2, kCurvesHeight - 2}, step_axis(study.curves),
                  metric_axis(study.curves.value, study.info.maximize),
                  {.x = study.unit(), .y = metric});
  CurvesPicture picture(study, svg, plot);
  if (bands)
    picture.draw_bands(steps);
  else
    picture.draw_lines();
  picture.draw_best();
  return Drawn{.svg = std::move(svg).text(),
               .data = bands ? bands_data(study, steps) : lines_data(study)};
}

}  // namespace hpo::figures
