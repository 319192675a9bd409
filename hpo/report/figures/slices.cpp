// Every trial along each parameter.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "hpo/report/best_values.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"
#include "hpo/report/text.h"

namespace hpo::figures {

namespace {

constexpr std::size_t kMostSlices = 12;
constexpr double kSlice = 110, kLeastSlice = 115, kBetweenSlices = 10;  // points

/// What lies in the slice of a parameter: trials that have it and a value.
bool is_in_slice(const report::ParameterColumn& column, const TrialRow& row) {
  return !std::isnan(column.values[row.trial]) && row.value && std::isfinite(*row.value) &&
         row.state != TrialState::failed;
}

PlotData slice_data(const report::Gathered& study) {
  PlotData data{.columns = {"parameter", "value", study.info.metric, "trial", "state"},
                .rows = {},
                .parameters = 1};
  for (const report::ParameterColumn& column : study.parameters) {
    for (const TrialRow& row : study.trials) {
      if (!is_in_slice(column, row)) continue;
      const ParamValue value =
          column.is_number ? *row.params.find(column.name)
                           : ParamValue(report::value_text(column, column.values[row.trial]));
      data.rows.push_back({column.name, value, *row.value, static_cast<std::int64_t>(row.trial),
                           std::string(name_of(row.state))});
    }
  }
  return data;
}

/// Words stand in columns; within one, trials spread by their number.
double spread_of(const Axis& axis, std::uint64_t trial) {
  if (axis.kind() != AxisKind::words) return 0;
  const double turn = static_cast<double>(trial) * 0.6180339887;
  return (turn - std::floor(turn) - 0.5) * 0.5 * axis.part();
}

TrialMarks slice_marks(const report::Gathered& study, const report::ParameterColumn& column,
                       const Plot& plot) {
  TrialMarks marks;
  for (const TrialRow& row : study.trials) {
    if (!is_in_slice(column, row)) continue;
    const double u = plot.x_axis().inside(column.values[row.trial]);
    const double spread = spread_of(plot.x_axis(), row.trial);
    marks.add(study, row, {plot.x_at(u + spread), plot.y(*row.value)},
              plot.y_axis().at(*row.value));
  }
  return marks;
}

std::string slice_title(const report::ParameterColumn& column) {
  const std::string name = shown_name(column.name);
  return column.is_searched ? base::cat(name, ", ", report::percent_of(column.share, 1)) : name;
}

}  // namespace

std::optional<Drawn> draw_slices(const report::Gathered& study, double width) {
  const std::vector<double> values = values_of(study);
  if (study.parameters.empty() ||
      std::ranges::none_of(values, [](double value) { return std::isfinite(value); }))
    return std::nullopt;
  const std::size_t count = std::min(study.parameters.size(), kMostSlices);
  const std::size_t columns = std::clamp<std::size_t>(static_cast<std::size_t>(width / kLeastSlice),
                                                      1, std::min<std::size_t>(count, 4));
  const std::size_t rows = (count + columns - 1) / columns;
  const double legend_room = width > 300 ? 14 : 24,
               height = legend_room + kSlice * static_cast<double>(rows);
  const std::string metric = shown_name(study.info.metric);
  Svg svg(width, height, base::cat(shown_name(study.info.name), ": slices"),
          base::cat("The ", metric, " of each trial along each parameter, the most important ",
                    "parameter first. The band holds most of the best tenth of the trials."));
  const Axis y = metric_axis(values, study.info.maximize);
  TrialMarks kinds;
  for (const TrialRow& row : study.trials)
    if (row.value && std::isfinite(*row.value) && row.state != TrialState::failed)
      kinds.add(study, row, {}, y.at(*row.value));
  std::vector<LegendEntry> legend;
  kinds.describe(legend, study);
  legend.push_back({Glyph::area, kBand, "most of the best tenth"});
  const double top = draw_legend(svg, {0, 0, width, legend_room}, legend);
  // The first column has the marks of all.
  const double marks = 30;
  const double each = (width - marks - kBetweenSlices * static_cast<double>(columns - 1)) /
                      static_cast<double>(columns);
  for (std::size_t i = 0; i < count; ++i) {
    const report::ParameterColumn& column = study.parameters[i];
    const bool is_first = i % columns == 0;
    const double left = marks + static_cast<double>(i % columns) * (each + kBetweenSlices);
    const std::size_t row = i / columns;
    const double above = top + static_cast<double>(row) * kSlice;
    const Box room{is_first ? 0 : left - 4, above, left + each - 2, above + kSlice - 6};
    const Plot plot(svg, room, parameter_axis(column), y,
                    {.x = slice_title(column),
                     .y = is_first ? metric : std::string(),
                     .has_y_marks = is_first});
    if (const auto best = report::best_values(study, column); best && column.is_number)
      svg.rect({plot.x(best->low), plot.box().top, plot.x(best->high), plot.box().bottom}, kBand,
               0.6);
    slice_marks(study, column, plot).draw(svg);
  }
  return Drawn{.svg = std::move(svg).text(), .data = slice_data(study)};
}

}  // namespace hpo::figures
