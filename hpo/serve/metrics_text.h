#pragma once
// How studies stand, for Prometheus: its text format, version 0.0.4.

#include <span>
#include <string>

#include "hpo/report/list_page.h"

namespace hpo::serve {

inline constexpr const char* kMetricsType = "text/plain; version=0.0.4; charset=utf-8";

/// `streams`: pages that follow a study now.
[[nodiscard]] std::string metrics_text(std::span<const StudySummary> studies, int streams);

}  // namespace hpo::serve
