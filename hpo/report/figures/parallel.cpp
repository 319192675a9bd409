// All parameters together: a line a trial.

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

constexpr std::size_t kMostAxes = 9;    // of parameters
constexpr std::size_t kMostGrey = 400;  // lines behind the best tenth; of more, evenly chosen ones
constexpr std::size_t kMostBright = 100;
constexpr double kParallelHeight = 170, kNames = 12, kLackRoom = 14;

struct ParallelAxis {
  std::string name;
  Axis axis;
  const report::ParameterColumn* column = nullptr;  ///< null: the metric
  bool lacks = false;                               ///< some trials do not have the parameter
};

/// What a trial has on an axis; NaN: nothing.
double on_axis(const ParallelAxis& one, const TrialRow& row) {
  if (one.column != nullptr) return one.column->values[row.trial];
  return row.value.value_or(NAN);
}

class Parallel {
 public:
  Parallel(const report::Gathered& study, Svg& svg, double top) : study_(study), svg_(svg) {
    const std::size_t count = std::min(study.parameters.size(), kMostAxes);
    for (std::size_t i = 0; i < count; ++i)
      axes_.push_back(
          {study.parameters[i].name, parameter_axis(study.parameters[i]), &study.parameters[i]});
    axes_.push_back({study.info.metric, metric_axis(values_of(study), study.info.maximize)});
    for (ParallelAxis& one : axes_) {
      one.lacks =
          one.column != nullptr &&
          std::ranges::any_of(one.column->values, [](double value) { return std::isnan(value); });
      lacks_ = lacks_ || one.lacks;
    }
    box_ = {8, top + kNames, svg.width() - 46, svg.height() - (lacks_ ? kLackRoom + 4 : 6)};
  }

  void draw() {
    draw_lines();
    for (std::size_t k = 0; k < axes_.size(); ++k) draw_axis(k);
  }

  [[nodiscard]] PlotData data() const {
    PlotData data{.columns = {"trial", "state", "best_tenth"}, .rows = {}};
    for (const ParallelAxis& one : axes_) data.columns.push_back(one.name);
    for (const TrialRow& row : study_.trials) {
      std::vector<std::optional<ParamValue>> cells{static_cast<std::int64_t>(row.trial),
                                                   std::string(name_of(row.state)),
                                                   static_cast<bool>(study_.best_tenth[row.trial])};
      for (const ParallelAxis& one : axes_) {
        const double value = on_axis(one, row);
        if (std::isnan(value))
          cells.emplace_back(one.column == nullptr && row.value ? std::optional<ParamValue>(NAN)
                                                                : std::nullopt);
        else if (one.column != nullptr && !one.column->is_number)
          cells.emplace_back(one.column->labels.at(static_cast<std::size_t>(value)));
        else
          cells.emplace_back(value);
      }
      data.rows.push_back(std::move(cells));
    }
    return data;
  }

 private:
  [[nodiscard]] double x(std::size_t axis) const {
    return box_.left +
           box_.width() * static_cast<double>(axis) / static_cast<double>(axes_.size() - 1);
  }

  [[nodiscard]] std::vector<Point> points(std::size_t trial) const {
    std::vector<Point> line;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const double value = on_axis(axes_[k], study_.trials[trial]);
      const double y = std::isnan(value)
                           ? box_.bottom + kLackRoom - 2
                           : box_.bottom - axes_[k].axis.inside(value) * box_.height();
      line.push_back({x(k), y});
    }
    return line;
  }

  void draw_lines() {
    std::vector<std::size_t> bright, grey;
    for (const std::size_t trial : study_.ranking) {
      const TrialRow& row = study_.trials[trial];
      if (row.state == TrialState::failed || !row.value || !std::isfinite(*row.value)) continue;
      (study_.best_tenth[trial] ? bright : grey).push_back(trial);
    }
    const std::size_t stride = std::max<std::size_t>(1, grey.size() / kMostGrey);
    std::vector<std::vector<Point>> lines;
    for (std::size_t i = 0; i < grey.size(); i += stride) lines.push_back(points(grey[i]));
    svg_.polylines(lines, {.color = kStopped, .width = 0.4, .opacity = 0.45});
    bright.resize(std::min(bright.size(), kMostBright));
    const RankColors ranks(bright.size());
    for (std::size_t i = bright.size(); i-- > 0;) {
      const std::string color = ranks.color(i);
      svg_.polyline(points(bright[i]), {.color = color, .width = 0.9});
    }
    if (study_.best) svg_.polyline(points(study_.best->trial), {.color = kWinner, .width = 1.8});
  }

  void draw_axis(std::size_t k) {
    const double at = x(k), room = box_.width() / static_cast<double>(axes_.size() - 1);
    svg_.line({at, box_.top}, {at, box_.bottom}, {.color = kInk, .width = 0.7});
    const bool is_last = k + 1 == axes_.size();
    const Align align = k == 0 ? Align::start : is_last ? Align::end : Align::middle;
    const std::string name = fitted(shown_name(axes_[k].name), room * 0.95, kTickSize);
    svg_.text({is_last  ? svg_.width() - 1
               : k == 0 ? 0.0
                        : at,
               box_.top - 5},
              name, {.color = kInk, .size = kTickSize, .align = align, .bold = true});
    if (axes_[k].lacks)
      svg_.text({at + 4, box_.bottom + kLackRoom}, "without it",
                {.color = kSoft, .size = kTickSize});
    const double part = box_.height() * axes_[k].axis.part();
    for (const Tick& tick : axes_[k].axis.ticks(5)) {
      if (part < kTickSize) continue;
      const double y = box_.bottom - axes_[k].axis.inside(tick.value) * box_.height();
      const double most = is_last ? svg_.width() - at - 4 : room - 8;
      const double width = std::min(
          most, text_width(tick.text, kTickSize) + 0.75 * text_width(tick.exponent, kTickSize));
      // On lines a text needs a ground of its own.
      svg_.rect({at + 2.5, y - 4, at + width + 4.5, y + 4}, "#ffffff", 0.8);
      svg_.line({at, y}, {at + 2, y}, {.color = kInk, .width = 0.6});
      draw_tick_text(svg_, {at + 3.5, y + 0.36 * kTickSize}, tick,
                     {.color = kInk, .size = kTickSize}, most);
    }
  }

  const report::Gathered& study_;
  Svg& svg_;
  std::vector<ParallelAxis> axes_;
  bool lacks_ = false;
  Box box_;
};

}  // namespace

std::optional<Drawn> draw_parallel(const report::Gathered& study, double width) {
  if (study.parameters.empty() || std::ranges::none_of(study.trials, can_lead)) return std::nullopt;
  Svg svg(width, kParallelHeight, base::cat(shown_name(study.info.name), ": parallel"),
          "A line for each trial through its parameters and its value. The best tenth is colored "
          "by rank, the others are grey.");
  const auto tenth = static_cast<std::size_t>(std::ranges::count(study.best_tenth, true));
  std::vector<LegendEntry> legend;
  if (study.best)
    legend.push_back({Glyph::line, kWinner, base::cat("trial ", study.best->trial), "", 1.8});
  const RankColors ranks(std::min(tenth, kMostBright));
  if (tenth > 1) ranks.describe(legend, Glyph::line, "best tenth: its best", "its last");
  legend.push_back({Glyph::line, kStopped, "others", "", 0.6});
  const double top = draw_legend(svg, {0, 0, width, kParallelHeight}, legend);
  Parallel picture(study, svg, top + 2);
  picture.draw();
  return Drawn{.svg = std::move(svg).text(), .data = picture.data()};
}

}  // namespace hpo::figures
