#pragma once
// What both programs' parts of `export` share.

#include <string>

#include "cli/arguments.h"
#include "hpo/export/plot_data.h"

namespace cli {

/// Which of the flags that name something else than the trials was given; empty: none. Throws a
/// usage error for two of them.
[[nodiscard]] std::string exported_instead(const Arguments& arguments);

/// Throws a usage error for --best with a format that has all trials.
void require_format_of_best(const Arguments& arguments);

/// `--format` for what is csv or JSON; csv where nothing is said. Throws a usage error that begins
/// with `what` for another format.
[[nodiscard]] std::string table_format(const Arguments& arguments, const std::string& what);

/// Writes the table in such a format.
void write_plot_data(const Arguments& arguments, const hpo::PlotData& data,
                     const std::string& what);

}  // namespace cli
