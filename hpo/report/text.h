#pragma once
// Texts and numbers as the page shows them. Any bytes may come in: what comes out is UTF-8 that
// shows what it is.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hpo::report {

/// Characters of a name beyond which a sentence or a cell cuts it.
inline constexpr std::size_t kLongName = 48;

/// Control characters, line ends and marks that turn the direction of text become `\x00`, `\n`,
/// `\u202e`; bytes that are no UTF-8 become U+FFFD. Longer than `limit` characters: cut with "…".
[[nodiscard]] std::string visible(std::string_view text, std::size_t limit = std::string::npos);

/// The same for HTML, between tags or inside of double quotes.
[[nodiscard]] std::string escaped(std::string_view text, std::size_t limit = std::string::npos);

/// Several lines for <pre>: as `escaped`, line by line.
[[nodiscard]] std::string escaped_lines(std::string_view text);

/// The text as a JSON string that may stand inside of <script>.
[[nodiscard]] std::string script_text(std::string_view text);

/// The number as JSON; null for one that is none, or without end.
[[nodiscard]] std::string script_number(double value);

/// 0.98333 -> "0.9833": four significant digits.
[[nodiscard]] std::string number(double value);
[[nodiscard]] std::string number(const std::optional<double>& value);
/// 0.9833 -> "98.3%".
[[nodiscard]] std::string percent(double share);
/// Part of a whole in whole per cent; of nothing "0%".
[[nodiscard]] std::string percent_of(double part, double whole);
/// 1.5e9 FLOPs -> "1.5 GFLOP".
[[nodiscard]] std::string flops(double count);

/// True for metrics that are a share of rows: "valid.accuracy".
[[nodiscard]] bool is_share_of_rows(std::string_view metric);
/// The value of a metric: "98.3%" of a share of rows, else "0.9833".
[[nodiscard]] std::string score(std::string_view metric, double value);

/// With a capital letter at its beginning.
[[nodiscard]] std::string capital(std::string text);

}  // namespace hpo::report
