// Whose network went on from whom.

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"
#include "hpo/report/networks.h"
#include "hpo/report/text.h"

namespace hpo::figures {

namespace {

constexpr double kLane = 12;
constexpr double kMostLanes = 40;  // beyond, lanes get narrower

class LineagePicture {
 public:
  LineagePicture(const report::Gathered& study, const std::vector<report::HandOver>& hands,
                 Svg& svg, const Plot& plot, const std::vector<std::uint64_t>& lanes)
      : study_(study), hands_(hands), svg_(svg), plot_(plot), lanes_(lanes) {}

  void draw() {
    for (const std::uint64_t trial : lanes_) {
      const double y = lane(trial);
      svg_.line({plot_.x(0), y}, {end(trial), y}, {.color = "#c9ccc8", .width = 2});
    }
    const double bend = std::min(8.0, plot_.box().width() / 40);
    for (const report::HandOver& hand : hands_) {
      const double from = plot_.x(static_cast<double>(hand.step));
      const Point start{from, lane(hand.source)},
          stop{std::min(from + bend, plot_.box().right), lane(hand.trial)};
      svg_.curve(start, {stop.x, start.y}, {start.x, stop.y}, stop, {.color = kSoft, .width = 0.8});
      if (!hand.change.empty()) svg_.dots(std::vector<Point>{stop}, 1.4, kInk);
    }
    draw_descent();
  }

 private:
  [[nodiscard]] double lane(std::uint64_t trial) const {
    // The first trial is on top.
    const auto above = std::ranges::lower_bound(lanes_, trial) - lanes_.begin();
    return plot_.y(static_cast<double>(lanes_.size()) - 1 - static_cast<double>(above));
  }
  [[nodiscard]] double end(std::uint64_t trial) const {
    return plot_.x(static_cast<double>(study_.trials[trial].step));
  }

  void draw_descent() {
    if (!study_.best) return;
    const std::vector<report::Descent> descent = report::descent_of_best(study_, hands_);
    std::vector<Point> line;
    for (std::size_t i = 0; i < descent.size(); ++i) {
      if (!std::ranges::binary_search(lanes_, descent[i].trial)) return;
      const double y = lane(descent[i].trial);
      const double until = i + 1 < descent.size()
                               ? plot_.x(static_cast<double>(descent[i + 1].from))
                               : end(descent[i].trial);
      line.push_back({plot_.x(static_cast<double>(descent[i].from)), y});
      line.push_back({until, y});
    }
    svg_.polyline(line, {.color = kWinner, .width = 1.8});
  }

  const report::Gathered& study_;
  const std::vector<report::HandOver>& hands_;
  Svg& svg_;
  const Plot& plot_;
  const std::vector<std::uint64_t>& lanes_;
};

}  // namespace

std::optional<Drawn> draw_lineage(const report::Gathered& study, double width) {
  const std::vector<report::HandOver> hands = report::hand_overs(study);
  if (hands.empty()) return std::nullopt;
  std::set<std::uint64_t> trials;
  std::int64_t last = 1;
  for (const report::HandOver& hand : hands) {
    trials.insert({hand.trial, hand.source});
    last =
        std::max({last, hand.step, study.trials[hand.trial].step, study.trials[hand.source].step});
  }
  const std::vector<std::uint64_t> lanes(trials.begin(), trials.end());
  std::vector<std::string> names;
  for (const std::uint64_t trial : lanes) names.push_back(base::cat("trial ", trial));
  std::ranges::reverse(names);
  const double height = 48 + kLane * std::min(kMostLanes, static_cast<double>(lanes.size()));
  Svg svg(width, height, base::cat(shown_name(study.info.name), ": lineage"),
          "A line for each trial. A step from one line to another is a copy of a network, a dot at "
          "its end a change of the network's shape.");
  std::vector<LegendEntry> legend;
  if (study.best)
    legend.push_back({Glyph::line, kWinner,
                      base::cat("descent of trial ", study.best->trial, "'s network"), "", 1.8});
  legend.push_back({Glyph::line, kSoft, "copy of a network", "", 0.8});
  if (std::ranges::any_of(hands, [](const auto& hand) { return !hand.change.empty(); }))
    legend.push_back({Glyph::dot, kInk, "change of shape"});
  const double top = draw_legend(svg, {0, 0, width, height}, legend);
  const Plot plot(svg, {0, top, width - 2, height - 2},
                  Axis::counted(AxisKind::linear, 0, static_cast<double>(last)),
                  Axis::of_words(names), {.x = study.unit(), .y = ""});
  LineagePicture(study, hands, svg, plot, lanes).draw();
  PlotData data{.columns = {"trial", "source", study.unit(), "parameters", "shape"}, .rows = {}};
  for (const report::HandOver& hand : hands)
    data.rows.push_back({static_cast<std::int64_t>(hand.trial),
                         static_cast<std::int64_t>(hand.source), hand.step, hand.params,
                         hand.change});
  return Drawn{.svg = std::move(svg).text(), .data = std::move(data)};
}

}  // namespace hpo::figures
