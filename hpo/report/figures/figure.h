#pragma once
// A picture of a study for a paper: SVG, and the numbers that it shows.
//
// A figure is one file beside this one and one line in registry.cpp.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "hpo/export/plot_data.h"
#include "hpo/report/gathered.h"

namespace hpo::figures {

struct Drawn {
  std::string svg;
  PlotData data;
};

struct Figure {
  std::string_view name;     ///< also of its files
  std::string_view shows;    ///< for the help: "the value of each trial and the best so far"
  std::string_view lacking;  ///< why a study does not have it: "no trial has a value"
  bool is_wide = false;      ///< it takes both columns of a page
  bool has_times = false;    ///< it shows clock times, so that equal results give other pictures
  /// Draws it, `width` points wide; nothing where the study has nothing to draw.
  std::optional<Drawn> (*draw)(const report::Gathered& study, double width);
};

/// All figures, in the order of the report's sections.
[[nodiscard]] std::span<const Figure> all_figures();
/// The figure of that name. Throws base::Error (usage) that names the nearest one.
[[nodiscard]] const Figure& figure_of(std::string_view name);

}  // namespace hpo::figures
