// How much each parameter mattered.

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"
#include "hpo/report/text.h"

namespace hpo::figures {

namespace {

constexpr std::size_t kMostBars = 20;
constexpr double kBarRow = 14, kBar = 8;

}  // namespace

std::optional<Drawn> draw_importance(const report::Gathered& study, double width) {
  PlotData data{.columns = {"parameter", "importance", "trials"}, .rows = {}};
  std::vector<const report::ParameterColumn*> columns;
  for (const report::ParameterColumn& column : study.parameters) {
    if (!column.is_searched) continue;
    columns.push_back(&column);
    data.rows.push_back({column.name, column.share, static_cast<std::int64_t>(column.trials)});
  }
  if (columns.empty()) return std::nullopt;
  columns.resize(std::min(columns.size(), kMostBars));
  const double height = kBarRow * static_cast<double>(columns.size()) + 2;
  Svg svg(width, height, base::cat(shown_name(study.info.name), ": importance"),
          "The share of the difference between the best tenth of the trials and all of them that "
          "each parameter explains (PED-ANOVA).");
  double names = 0;
  for (const auto* column : columns)
    names = std::max(names, text_width(shown_name(column->name), kTitleSize));
  names = std::min(names, width / 3);
  const double most = std::max(columns.front()->share, 1e-9);
  const double left = names + 6, room = width - left - text_width("100%", kTitleSize) - 6;
  double top = 1;
  for (const auto* column : columns) {
    const double end = left + room * column->share / most;
    const double line = top + kBarRow / 2 + 0.36 * kTitleSize;
    svg.text({left - 6, line}, fitted(shown_name(column->name), names, kTitleSize),
             {.color = kInk, .size = kTitleSize, .align = Align::end});
    svg.rect({left, top + (kBarRow - kBar) / 2, end, top + (kBarRow + kBar) / 2}, kData);
    svg.text({end + 4, line}, report::percent_of(column->share, 1),
             {.color = kInk, .size = kTitleSize});
    top += kBarRow;
  }
  svg.line({left, 0}, {left, height}, {.color = kSoft, .width = 0.6});
  return Drawn{.svg = std::move(svg).text(), .data = std::move(data)};
}

}  // namespace hpo::figures
