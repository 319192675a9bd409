// When each trial ran.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "hpo/report/figures/clock_axis.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"

namespace hpo::figures {

ClockUnit clock_unit(double whole_seconds) {
  if (whole_seconds > 3 * 3600) return {.seconds = 3600, .name = "h"};
  if (whole_seconds > 300) return {.seconds = 60, .name = "min"};
  return {};
}

namespace {

/// A trial in a lane that no other one has at that time. Times in seconds since the first one
/// began.
struct Bar {
  std::size_t trial = 0, lane = 0;
  double began = 0, ended = 0;
};

std::vector<Bar> bars_of(const report::Gathered& study) {
  std::vector<Bar> bars;
  std::int64_t origin = 0;
  for (const TrialSpan& span : study.spans)
    if (span.began > 0 && span.ended > 0 && (origin == 0 || span.began < origin))
      origin = span.began;
  for (std::size_t i = 0; i < study.spans.size(); ++i) {
    const TrialSpan& span = study.spans[i];
    if (span.began <= 0 || span.ended <= 0) continue;
    bars.push_back({.trial = i,
                    .began = static_cast<double>(span.began - origin) * 1e-6,
                    .ended = static_cast<double>(span.ended - origin) * 1e-6});
  }
  std::ranges::stable_sort(bars, {}, &Bar::began);
  std::vector<double> lanes;
  for (Bar& bar : bars) {
    const auto free = std::ranges::find_if(lanes, [&](double until) { return until <= bar.began; });
    bar.lane = static_cast<std::size_t>(free - lanes.begin());
    if (free == lanes.end()) lanes.push_back(0);
    lanes[bar.lane] = bar.ended;
  }
  return bars;
}

std::string_view bar_color(const report::Gathered& study, const Bar& bar) {
  if (study.best && study.best->trial == bar.trial) return kWinner;
  const TrialState state = study.trials[bar.trial].state;
  return state == TrialState::complete ? kData : state == TrialState::failed ? kFailed : kStopped;
}

}  // namespace

std::optional<Drawn> draw_timeline(const report::Gathered& study, double width) {
  const std::vector<Bar> bars = bars_of(study);
  if (bars.empty()) return std::nullopt;
  std::size_t lanes = 1;
  double end = 0;
  for (const Bar& bar : bars) {
    lanes = std::max(lanes, bar.lane + 1);
    end = std::max(end, bar.ended);
  }
  const double lane = std::clamp(220 / static_cast<double>(lanes), 1.0, 12.0);
  const double height = 52 + lane * static_cast<double>(lanes);
  Svg svg(width, height, base::cat(shown_name(study.info.name), ": timeline"),
          "A bar for the last attempt of each trial, in rows that trials use one after another.");
  std::vector<LegendEntry> legend;
  if (study.best) legend.push_back({Glyph::area, kWinner, base::cat("trial ", study.best->trial)});
  if (study.counts.complete > 0) legend.push_back({Glyph::area, kData, "complete"});
  if (study.counts.stopped > 0) legend.push_back({Glyph::area, kStopped, "stopped early"});
  if (study.counts.failed > 0) legend.push_back({Glyph::area, kFailed, "failed"});
  const double top = draw_legend(svg, {0, 0, width, height}, legend);
  const ClockUnit unit = clock_unit(end);
  const Plot plot(svg, {0, top, width - 2, height - 2}, clock_axis(end, unit),
                  Axis::of_words(std::vector<std::string>(lanes)),
                  {.x = base::cat("time (", unit.name, ")"), .y = "", .has_y_marks = false});
  PlotData data{.columns = {"trial", "state", "row", "began", "ended"}, .rows = {}};
  for (const Bar& bar : bars) {
    const double from = plot.x(bar.began / unit.seconds), until = plot.x(bar.ended / unit.seconds);
    const double middle = plot.y(static_cast<double>(bar.lane));
    const double half = 0.42 * (plot.y_at(0) - plot.y_at(1)) / static_cast<double>(lanes);
    svg.rect({from, middle - half, std::max(until - 0.2, from + 0.4), middle + half},
             bar_color(study, bar));
    data.rows.push_back({static_cast<std::int64_t>(bar.trial),
                         std::string(name_of(study.trials[bar.trial].state)),
                         static_cast<std::int64_t>(bar.lane), bar.began, bar.ended});
  }
  return Drawn{.svg = std::move(svg).text(), .data = std::move(data)};
}

}  // namespace hpo::figures
