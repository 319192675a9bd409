#pragma once
// A study as tables that plots are drawn from, in the number texts of export.h.

#include <optional>
#include <string>
#include <vector>

#include "hpo/log/study_reader.h"
#include "hpo/space/value.h"

namespace hpo {

/// Rows of cells, as many as there are columns; a cell may have nothing.
struct PlotData {
  std::vector<std::string> columns;
  std::vector<std::vector<std::optional<ParamValue>>> rows;
  /// The column of values of parameters, if any: their texts show their type, as export_csv's do.
  std::optional<std::size_t> parameters = {};
};

/// How many of the trials are no larger: metric, value, share. The empirical distribution of each
/// metric that is searched for, over the complete trials that break no bound and have a number: a
/// line for each value, ascending, with the share of the trials that have it or less.
[[nodiscard]] PlotData edf_of(const StudyReader& study);

/// What trials had along each parameter: parameter, value, metrics.<name>... of those searched for,
/// trial, state. The parameters in the order of the space, of each the trials that had it and a
/// value, in trial order.
[[nodiscard]] PlotData slices_of(const StudyReader& study);

/// A header and a line a row (RFC 4180).
[[nodiscard]] std::string csv_of(const PlotData& data);
/// A list of objects, one a line.
[[nodiscard]] std::string json_of(const PlotData& data);

}  // namespace hpo
