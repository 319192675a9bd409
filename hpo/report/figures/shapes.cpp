// What each candidate shape of the best network costs and scores.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"
#include "hpo/report/networks.h"

namespace hpo::figures {

namespace {

constexpr double kShapesHeight = 160;

struct Candidate {
  std::int64_t round = 0;
  const Tried* tried = nullptr;
  double score = 0;
};

bool is_drawn(const Candidate& one) {
  return one.tried->inference_flops > 0 && std::isfinite(one.score);
}

std::vector<Candidate> candidates_of(const report::Gathered& study) {
  std::vector<Candidate> all;
  std::int64_t number = 0;
  for (const Adapted* round : report::rounds_of_best(study)) {
    for (const Tried& tried : round->candidates)
      all.push_back({.round = number,
                     .tried = &tried,
                     .score = std::isnan(tried.accuracy) ? tried.loss : tried.accuracy});
    ++number;
  }
  return all;
}

PlotData candidates_data(const std::vector<Candidate>& all) {
  PlotData data{
      .columns = {"round", "shape", "change", "inference_flops", "accuracy", "loss", "accepted"},
      .rows = {}};
  const auto measured = [](double value) {
    return std::isnan(value) ? std::nullopt : std::optional<ParamValue>(value);
  };
  for (const Candidate& one : all)
    data.rows.push_back({one.round, one.tried->shape, one.tried->change, one.tried->inference_flops,
                         measured(one.tried->accuracy), measured(one.tried->loss),
                         one.tried->accepted});
  return data;
}

}  // namespace

std::optional<Drawn> draw_shapes(const report::Gathered& study, double width) {
  const std::vector<Candidate> all = candidates_of(study);
  std::vector<double> costs, scores;
  for (const Candidate& one : all) {
    if (!is_drawn(one)) continue;
    costs.push_back(one.tried->inference_flops);
    scores.push_back(one.score);
  }
  if (costs.empty()) return std::nullopt;
  const bool by_accuracy = std::ranges::any_of(
      all, [](const Candidate& one) { return !std::isnan(one.tried->accuracy); });
  Svg svg(width, kShapesHeight, base::cat(shown_name(study.info.name), ": shapes"),
          "What each candidate for the shape of the best network costs and scored. The line joins "
          "the shapes that the network had.");
  const double top = draw_legend(
      svg, {0, 0, width, kShapesHeight},
      {{Glyph::line, kWinner, "the network"}, {Glyph::dot, kStopped, "tried and not taken"}});
  const auto [least, most] = std::ranges::minmax(costs);
  const Plot plot(
      svg, {0, top, width - 2, kShapesHeight - 2}, Axis(AxisKind::log, least / 1.1, most * 1.1),
      metric_axis(scores, by_accuracy),
      {.x = "FLOPs of one row", .y = by_accuracy ? "accuracy of the race" : "loss of the race"});
  std::vector<Point> others, kept;
  std::vector<std::string> names;
  for (const Candidate& one : all) {
    if (!is_drawn(one)) continue;
    const Point at = plot.at(one.tried->inference_flops, one.score);
    (one.tried->accepted ? kept : others).push_back(at);
    if (one.tried->accepted) names.push_back(one.tried->shape);
  }
  svg.dots(others, 1.5, kStopped);
  svg.polyline(kept, {.color = kWinner, .width = 1});
  svg.dots(kept, 2.2, kWinner);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (i > 0 && i + 1 < kept.size()) continue;
    const bool left = kept[i].x > width / 2;
    svg.text(
        {kept[i].x + (left ? -5 : 5), kept[i].y + (kept[i].y > plot.box().bottom - 14 ? -5 : 9)},
        shown_name(names[i]),
        {.color = kInk, .size = kTickSize, .align = left ? Align::end : Align::start});
  }
  return Drawn{.svg = std::move(svg).text(), .data = candidates_data(all)};
}

}  // namespace hpo::figures
