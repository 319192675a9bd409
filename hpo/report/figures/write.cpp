#include "hpo/report/figures/write.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/report/figures/convert.h"
#include "hpo/report/figures/figure.h"
#include "hpo/report/figures/svg.h"
#include "hpo/report/gathered.h"

namespace hpo {

namespace {

constexpr double kOneColumn = 85, kBothColumns = 175;                     // millimeters
constexpr std::array<std::string_view, 3> kFormats{"svg", "pdf", "png"};  // as in FigureFormat

report::Gathered gathered_for_figures(const StudyReader& study, const FigureOptions& options) {
  return report::gather(study, {.with_paths = options.with_paths});
}

double points_of(const figures::Figure& figure, const FigureOptions& options) {
  return options.width.value_or(figure.is_wide ? kBothColumns : kOneColumn) * figures::kPointsPerMm;
}

std::vector<const figures::Figure*> chosen_figures(const std::vector<std::string>& names) {
  std::vector<const figures::Figure*> chosen;
  for (const std::string& name : names) {
    const figures::Figure* figure = &figures::figure_of(name);
    if (std::ranges::find(chosen, figure) == chosen.end()) chosen.push_back(figure);
  }
  if (names.empty())
    for (const figures::Figure& figure : figures::all_figures()) chosen.push_back(&figure);
  return chosen;
}

}  // namespace

FigureFormat figure_format_of(std::string_view word) {
  const auto found = std::ranges::find(kFormats, word);
  if (found != kFormats.end()) return static_cast<FigureFormat>(found - kFormats.begin());
  const std::vector<std::string> known(kFormats.begin(), kFormats.end());
  throw base::Error(base::Errc::usage,
                    base::cat("--format: '", base::printable(word, 60), "', expected ",
                              base::either(known), base::did_you_mean(word, known)));
}

std::optional<std::string> figure_svg(const StudyReader& study, std::string_view name,
                                      const FigureOptions& options) {
  const figures::Figure& figure = figures::figure_of(name);
  auto drawn = figure.draw(gathered_for_figures(study, options), points_of(figure, options));
  if (!drawn) return std::nullopt;
  return std::move(drawn->svg);
}

WrittenFigures write_figures(const StudyReader& study, const base::Path& folder,
                             const FigureOptions& options) {
  const std::vector<const figures::Figure*> chosen = chosen_figures(options.names);
  const figures::Converter converter(options.format);
  const report::Gathered gathered = gathered_for_figures(study, options);
  base::make_folder(folder);
  WrittenFigures all;
  const std::string extension(kFormats[static_cast<std::size_t>(options.format)]);
  for (const figures::Figure* figure : chosen) {
    const auto drawn = figure->draw(gathered, points_of(*figure, options));
    if (!drawn) {
      if (!options.names.empty())
        all.lacking.push_back(base::cat(gathered.info.name, " has no figure '", figure->name,
                                        "': ", figure->lacking));
      continue;
    }
    WrittenFigure one{.name = std::string(figure->name),
                      .picture = folder / base::cat(figure->name, ".", extension),
                      .data = folder / base::cat(figure->name, ".csv")};
    base::write_file_atomic(one.picture, converter.converted(drawn->svg), base::Durability::cached);
    base::write_file_atomic(one.data, csv_of(drawn->data), base::Durability::cached);
    all.written.push_back(std::move(one));
  }
  return all;
}

}  // namespace hpo
