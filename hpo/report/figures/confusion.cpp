// What the best network took for what.

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "hpo/report/figures/colors.h"
#include "hpo/report/figures/figures.h"
#include "hpo/report/figures/plot.h"

namespace hpo::figures {

namespace {

constexpr double kLeastCell = 9, kLargestCell = 26;  // points
constexpr std::size_t kMostClasses = 60;

PlotData confusion_data(const ConfusionTable& table, const std::vector<std::string>& classes) {
  PlotData data{.columns = {"truth", "answer", "rows"}, .rows = {}};
  for (std::size_t row = 0; row < classes.size(); ++row)
    for (std::size_t column = 0; column < classes.size(); ++column)
      data.rows.push_back({classes[row], classes[column], table.counts[row][column]});
  return data;
}

void draw_cell(Svg& svg, const Box& box, std::int64_t count, double share, bool right) {
  if (count == 0) return;
  svg.rect({box.left + 0.4, box.top + 0.4, box.right - 0.4, box.bottom - 0.4},
           right ? kData : kWinner, 0.12 + 0.83 * share);
  const std::string text = base::cat(count);
  if (text_width(text, kTickSize) > box.width() - 1) return;
  svg.text({(box.left + box.right) / 2, (box.top + box.bottom) / 2 + 0.36 * kTickSize}, text,
           {.color = share > 0.5 ? std::string_view("#ffffff") : kInk,
            .size = kTickSize,
            .align = Align::middle});
}

}  // namespace

std::optional<Drawn> draw_confusion(const report::Gathered& study, double width) {
  const ConfusionTable& table = study.confusion;
  const std::size_t count = table.classes.size();
  if (count == 0 || count > kMostClasses) return std::nullopt;
  std::vector<std::string> classes;
  double names = 0;
  for (const std::string& name : table.classes) {
    classes.push_back(study.hidden(name));
    names = std::max(names, text_width(shown_name(classes.back()), kTickSize));
  }
  names = std::min(names, width / 4);
  const double left = kTitleSize + 5 + names + 4, top = 2;
  const double cell =
      std::clamp((width - left - 2) / static_cast<double>(count), 1.0, kLargestCell);
  const double side = cell * static_cast<double>(count);
  const double height = top + side + 2 + kTickSize + kTitleSize + 10;
  Svg svg(width, height, base::cat(shown_name(study.info.name), ": confusion"),
          base::cat("Rows of the ", table.part,
                    " part by their true class and by the answer of the best network."));
  const bool is_named = cell >= kLeastCell;
  for (std::size_t row = 0; row < count; ++row) {
    std::int64_t all = 0;
    for (const std::int64_t one : table.counts[row]) all += one;
    const double above = top + cell * static_cast<double>(row);
    if (is_named) {
      svg.text({left - 4, above + cell / 2 + 0.36 * kTickSize},
               fitted(shown_name(classes[row]), names, kTickSize),
               {.color = kSoft, .size = kTickSize, .align = Align::end});
      svg.text({left + cell * (static_cast<double>(row) + 0.5), top + side + 2 + kTickSize},
               fitted(shown_name(classes[row]), cell - 1, kTickSize),
               {.color = kSoft, .size = kTickSize, .align = Align::middle});
    }
    for (std::size_t column = 0; column < count; ++column) {
      const double from = left + cell * static_cast<double>(column);
      const std::int64_t one = table.counts[row][column];
      const double share =
          static_cast<double>(one) / static_cast<double>(std::max<std::int64_t>(all, 1));
      draw_cell(svg, {from, above, from + cell, above + cell}, one, share, row == column);
    }
  }
  svg.outline({left, top, left + side, top + side}, {.color = kSoft, .width = 0.5});
  svg.text({left + side / 2, height - 4}, "answer",
           {.color = kInk, .size = kTitleSize, .align = Align::middle});
  svg.text_upwards({kTitleSize - 1, top + side / 2}, "truth", {.color = kInk, .size = kTitleSize});
  return Drawn{.svg = std::move(svg).text(), .data = confusion_data(table, classes)};
}

}  // namespace hpo::figures
