#include "hpo/report/figures/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/text.h"

namespace hpo::figures {

namespace {

constexpr double kTick = 2.5, kGap = 2;  // of a mark's line, and between it and its text
constexpr double kRow = 10;              // of a legend
constexpr double kSign = 12;             // the room of a legend's mark
constexpr double kLeastWord = 10;        // points: a word with less room is not written
constexpr std::size_t kMany = 2000;      // marks: from here on they are small and see-through

/// Marks of an axis of so many points.
std::size_t marks_in(double points, double each) {
  return std::max<std::size_t>(2, static_cast<std::size_t>(points / each));
}

double width_of(const Tick& tick) {
  return text_width(tick.text, kTickSize) + 0.75 * text_width(tick.exponent, kTickSize);
}

double widest(const std::vector<Tick>& ticks) {
  double most = 0;
  for (const Tick& tick : ticks) most = std::max(most, width_of(tick));
  return most;
}

void draw_sign(Svg& svg, Point at, const LegendEntry& entry) {
  const Point middle{at.x + kSign / 2 - 2, at.y - 2.5};
  const std::vector<Point> one{middle};
  switch (entry.glyph) {
    case Glyph::dot:
      return svg.dots(one, 1.8, entry.color);
    case Glyph::ring:
      return svg.rings(one, 1.7, {.color = entry.color, .width = 0.8});
    case Glyph::cross:
      return svg.crosses(one, 1.6, {.color = entry.color, .width = 0.9});
    case Glyph::diamond:
      return svg.diamonds(one, 3.2, entry.color);
    case Glyph::outside:
      return svg.triangles(one, 2, entry.color, false);
    case Glyph::line:
      return svg.line({at.x, middle.y}, {at.x + kSign - 3, middle.y},
                      {.color = entry.color, .width = entry.width, .dash = entry.dash});
    case Glyph::area:
      return svg.rect({at.x, middle.y - 2.5, at.x + kSign - 4, middle.y + 2.5}, entry.color);
  }
}

}  // namespace

std::string shown_name(std::string_view name) { return report::visible(name, report::kLongName); }

double draw_legend(Svg& svg, const Box& room, const std::vector<LegendEntry>& entries) {
  Point at{room.left + 1, room.top + 7};
  for (const LegendEntry& entry : entries) {
    const std::string text = fitted(entry.text, room.width() - kSign, kTickSize);
    const double width = kSign + text_width(text, kTickSize);
    if (at.x > room.left + 1 && at.x + width > room.right) at = {room.left + 1, at.y + kRow};
    draw_sign(svg, at, entry);
    svg.text({at.x + kSign - 1, at.y}, text, {.color = kInk, .size = kTickSize});
    at.x += width + 8;
  }
  return entries.empty() ? room.top : at.y + 5;
}

void draw_tick_text(Svg& svg, Point at, const Tick& tick, const Font& font, double width) {
  if (tick.exponent.empty())
    svg.text(at, fitted(tick.text, width, font.size), font);
  else
    svg.power(at, tick.text, tick.exponent, font);
}

Plot::Plot(Svg& svg, const Box& room, Axis x, Axis y, const Titles& titles)
    : x_(std::move(x)), y_(std::move(y)) {
  const double below = kTick + kGap + kTickSize + (titles.x.empty() ? 1 : kTitleSize + 5);
  box_ = {room.left, room.top + 2, room.right, room.bottom - below};
  std::vector<Tick> ticks = y_.ticks(marks_in(box_.height(), 22));
  if (!titles.has_y_marks)
    for (Tick& tick : ticks) tick.text.clear(), tick.exponent.clear();
  // Words of classes may be long; half of the room is for the picture.
  const double texts = std::min(widest(ticks), room.width() / 3);
  box_.left += texts + kTick + kGap + (titles.y.empty() ? 0 : kTitleSize + 3);
  draw_y(svg, ticks);
  draw_x(svg, titles.x.empty() ? "" : x_.title(titles.x));
  if (!titles.y.empty()) {
    const double most = box_.height() + below;
    // Where there is no room for it, the marks alone tell the scale.
    const bool is_long = text_width(y_.title(titles.y), kTitleSize) > most;
    const std::string title = fitted(is_long ? titles.y : y_.title(titles.y), most, kTitleSize);
    const double middle = (box_.top + box_.bottom) / 2, half = text_width(title, kTitleSize) / 2;
    svg.text_upwards({room.left + kTitleSize - 1, std::max(middle, box_.top - 2 + half)}, title,
                     {.color = kInk, .size = kTitleSize});
  }
}

void Plot::draw_y(Svg& svg, const std::vector<Tick>& ticks) const {
  const double room = box_.height() * y_.part();
  for (const Tick& tick : ticks) {
    const double y = this->y(tick.value);
    if (y_.kind() != AxisKind::words)
      svg.line({box_.left, y}, {box_.right, y}, {.color = kGrid, .width = 0.5});
    if (tick.text.empty()) continue;
    svg.line({box_.left - kTick, y}, {box_.left, y}, {.color = kSoft, .width = 0.6});
    if (y_.kind() == AxisKind::words && room < kTickSize) continue;
    draw_tick_text(svg, {box_.left - kTick - kGap, y + 0.36 * kTickSize}, tick,
                   {.color = kSoft, .size = kTickSize, .align = Align::end}, svg.width() / 3);
  }
  svg.line({box_.left, box_.top}, {box_.left, box_.bottom}, {.color = kSoft, .width = 0.6});
}

void Plot::draw_x(Svg& svg, const std::string& title) const {
  const bool words = x_.kind() == AxisKind::words;
  const double part = (box_.width() - 2 * kPad) * x_.part();
  const double text_line = box_.bottom + kTick + kGap + 0.75 * kTickSize;
  for (const Tick& tick : x_.ticks(marks_in(box_.width(), 38))) {
    const double x = this->x(tick.value);
    svg.line({x, box_.bottom}, {x, box_.bottom + kTick}, {.color = kSoft, .width = 0.6});
    if (words && part < kLeastWord) continue;
    // What stands in the middle of its mark must not leave the picture.
    const double half = width_of(tick) / 2;
    const double middle = words ? x : std::clamp(x, half, std::max(half, svg.width() - half));
    draw_tick_text(svg, {middle, text_line}, tick,
                   {.color = kSoft, .size = kTickSize, .align = Align::middle},
                   words ? part - 2 : box_.width());
  }
  svg.line({box_.left, box_.bottom}, {box_.right, box_.bottom}, {.color = kSoft, .width = 0.6});
  svg.text({(box_.left + box_.right) / 2, text_line + kTitleSize + 3},
           fitted(title, box_.width(), kTitleSize),
           {.color = kInk, .size = kTitleSize, .align = Align::middle});
}

void TrialMarks::add(const report::Gathered& study, const TrialRow& row, Point at, double u) {
  constexpr double kEdge = 1e-9;
  if (study.best && row.trial == study.best->trial) {
    best = at;
    return;
  }
  if (row.state == TrialState::failed)
    failed.push_back(at);
  else if (u < -kEdge)
    below.push_back(at);
  else if (u > 1 + kEdge)
    above.push_back(at);
  else
    (row.state == TrialState::complete ? complete : others).push_back(at);
}

void TrialMarks::draw(Svg& svg) const {
  const bool many = complete.size() + others.size() > kMany;
  svg.triangles(below, 1.7, kStopped, false);
  svg.triangles(above, 1.7, kStopped, true);
  if (many) {
    svg.dots(others, 0.6, kStopped, 0.6);
    svg.dots(complete, 0.7, kData, 0.6);
  } else {
    svg.rings(others, 1.7, {.color = kStopped, .width = 0.7});
    svg.dots(complete, 1.8, kData);
  }
  svg.crosses(failed, 1.6, {.color = kFailed, .width = 0.9});
  if (best) svg.diamonds(std::vector<Point>{*best}, 3.4, kWinner);
}

void TrialMarks::describe(std::vector<LegendEntry>& legend, const report::Gathered& study) const {
  const bool many = complete.size() + others.size() > kMany;
  if (best) legend.push_back({Glyph::diamond, kWinner, base::cat("trial ", study.best->trial)});
  if (!complete.empty()) legend.push_back({Glyph::dot, kData, "complete"});
  const bool unfinished = study.counts.running + study.counts.waiting > 0;
  const Glyph sign = many ? Glyph::dot : Glyph::ring;
  if (!others.empty())
    legend.push_back({sign, kStopped, unfinished ? "stopped or not over" : "stopped early"});
  if (!failed.empty()) legend.push_back({Glyph::cross, kFailed, "failed"});
  if (!below.empty() || !above.empty())
    legend.push_back(
        {Glyph::outside, kStopped, base::cat(below.size() + above.size(), " outside")});
}

std::vector<double> values_of(const report::Gathered& study) {
  std::vector<double> values;
  for (const TrialRow& row : study.trials)
    values.push_back(row.value.value_or(std::numeric_limits<double>::quiet_NaN()));
  return values;
}

}  // namespace hpo::figures
