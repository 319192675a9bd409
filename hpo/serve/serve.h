#pragma once
// Studies as pages in a browser, while they run.

#include <functional>
#include <optional>
#include <string>

#include "base/file.h"
#include "hpo/report/report.h"

namespace hpo {

struct ServeOptions {
  base::Path folder;                ///< has a folder for each study
  std::optional<std::string> only;  ///< the one study of it that is shown
  std::string host;                 ///< the address to listen on; empty: this machine alone
  int port = 0;                     ///< 0: any free one
  bool control = false;             ///< whoever has the token can stop studies
  ReportOptions report;
};

/// Serves until SIGINT or SIGTERM. `tell` gets the address to open, once it can be opened. Throws
/// base::Error (usage) where the address cannot be had.
void serve_studies(ServeOptions options, const std::function<void(const std::string& url)>& tell);

}  // namespace hpo
