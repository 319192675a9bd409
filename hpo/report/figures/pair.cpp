// The two most important parameters, and how good the trials there were.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"
#include "hpo/report/figures/ranks.h"

namespace hpo::figures {

namespace {

constexpr double kPairHeight = 170;
constexpr std::size_t kShades = 24;  // groups of ranks, an element of the picture each

/// Of a word's column or row: trials spread by their number.
double spread_in(const Axis& axis, std::uint64_t trial, double turn) {
  if (axis.kind() != AxisKind::words) return 0;
  const double place = static_cast<double>(trial) * turn;
  return (place - std::floor(place) - 0.5) * 0.5 * axis.part();
}

std::optional<ParamValue> shown_value(const report::Gathered& study,
                                      const report::ParameterColumn& column, const TrialRow& row) {
  if (column.is_number) return *row.params.find(column.name);
  return ParamValue(
      study.hidden(column.labels[static_cast<std::size_t>(column.values[row.trial])]));
}

}  // namespace

std::optional<Drawn> draw_pair(const report::Gathered& study, double width) {
  if (std::ranges::count(study.parameters, true, &report::ParameterColumn::is_searched) < 2)
    return std::nullopt;
  const report::ParameterColumn &first = study.parameters[0], &second = study.parameters[1];
  std::vector<std::size_t> ranked;
  for (const std::size_t trial : study.ranking)
    if (can_lead(study.trials[trial]) && !std::isnan(first.values[trial]) &&
        !std::isnan(second.values[trial]))
      ranked.push_back(trial);
  if (ranked.empty()) return std::nullopt;
  Svg svg(width, kPairHeight, base::cat(shown_name(study.info.name), ": pair"),
          base::cat("The trials by ", shown_name(first.name), " and ", shown_name(second.name),
                    ", the two most important parameters, colored by the rank of their ",
                    shown_name(study.info.metric), "."));
  const RankColors ranks(ranked.size());
  std::vector<LegendEntry> legend;
  const bool has_best = study.best && std::ranges::count(ranked, study.best->trial) > 0;
  if (has_best) legend.push_back({Glyph::diamond, kWinner, base::cat("trial ", study.best->trial)});
  ranks.describe(legend, Glyph::dot, "best trials", "worst");
  const double top = draw_legend(svg, {0, 0, width, kPairHeight}, legend);
  const Plot plot(svg, {0, top, width - 2, kPairHeight - 2}, parameter_axis(first),
                  parameter_axis(second),
                  {.x = shown_name(first.name), .y = shown_name(second.name)});
  const auto place = [&](std::size_t trial) {
    const double u =
        plot.x_axis().inside(first.values[trial]) + spread_in(plot.x_axis(), trial, 0.6180339887);
    const double v =
        plot.y_axis().inside(second.values[trial]) + spread_in(plot.y_axis(), trial, 0.7548776662);
    return Point{plot.x_at(u), plot.y_at(v)};
  };
  // The best lie on top.
  const std::size_t shades = std::min(kShades, ranked.size());
  for (std::size_t shade = shades; shade-- > 0;) {
    const std::size_t from = shade * ranked.size() / shades;
    const std::size_t until = (shade + 1) * ranked.size() / shades;
    std::vector<Point> at;
    for (std::size_t i = from; i < until; ++i) at.push_back(place(ranked[i]));
    svg.dots(at, ranked.size() > 2000 ? 0.9 : 1.9, ranks.color((from + until - 1) / 2));
  }
  if (has_best) svg.diamonds(std::vector<Point>{place(study.best->trial)}, 3.4, kWinner);
  PlotData data{.columns = {"rank", "trial", first.name, second.name, study.info.metric},
                .rows = {}};
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const TrialRow& row = study.trials[ranked[i]];
    data.rows.push_back({static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(row.trial),
                         shown_value(study, first, row), shown_value(study, second, row),
                         *row.value});
  }
  return Drawn{.svg = std::move(svg).text(), .data = std::move(data)};
}

}  // namespace hpo::figures
