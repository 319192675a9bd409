#pragma once
// Figures of a study as files: the picture, and the numbers that it shows as CSV.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "hpo/log/study_reader.h"

namespace hpo {

/// Widths that figures may have, in millimeters.
inline constexpr std::int64_t kNarrowestFigure = 60, kWidestFigure = 400;

enum class FigureFormat : std::uint8_t { svg, pdf, png };

struct FigureOptions {
  /// Of the figures to draw; empty: all that the study has.
  std::vector<std::string> names;
  FigureFormat format = FigureFormat::svg;
  /// Millimeters; none: 85, one column of a page, or 175, both columns, as suits the figure.
  std::optional<double> width = {};
  bool with_paths = false;  ///< shows absolute paths and names of hosts
};

struct WrittenFigure {
  std::string name;
  base::Path picture, data;
};

struct WrittenFigures {
  std::vector<WrittenFigure> written;
  /// Of figures that were asked for by name, why the study does not have them: a line each.
  std::vector<std::string> lacking;
};

/// The format of that word. Throws base::Error (usage).
[[nodiscard]] FigureFormat figure_format_of(std::string_view word);

/// A figure of the study by name, as SVG; nothing where the study does not have it. Equal results
/// give equal bytes, but for figures of clock times. Throws base::Error (usage) for an unknown
/// name.
[[nodiscard]] std::optional<std::string> figure_svg(const StudyReader& study, std::string_view name,
                                                    const FigureOptions& options = {});

/// Writes NAME.svg (or .pdf, .png) and NAME.csv into `folder`, which is made. Throws base::Error:
/// usage for an unknown name, no_device where a format needs rsvg-convert and there is none,
/// storage.
[[nodiscard]] WrittenFigures write_figures(const StudyReader& study, const base::Path& folder,
                                           const FigureOptions& options);

}  // namespace hpo
