#pragma once
// Spans of time in tables.

#include <optional>
#include <string_view>

namespace nn {

/// Seconds of a span such as 1:02:03.5 (hours first), 62:03 (minutes and seconds), 2 days 01:02:03,
/// 1 day, 2:03:04, 1h 30m, 90 min, 2 weeks, PT1H30M or P2DT12H, perhaps with a minus in front.
/// Minutes and seconds behind a colon are below 60. Nothing for any other text, nor for a plain
/// number.
[[nodiscard]] std::optional<double> read_span(std::string_view text);

}  // namespace nn
