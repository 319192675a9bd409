#include "hpo/report/html.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace hpo::report {

void Table::add(std::string_view tag, const std::vector<Cell>& cells, std::string_view kind) {
  rows_ += kind.empty() ? std::string("<tr>") : base::cat("<tr class=\"", kind, "\">");
  for (std::size_t i = 0; i < cells.size(); ++i) {
    // The name of a row is a heading, whose place says that it is one and a text.
    const bool names_row = tag == "td" && i == 0 && names_ > 0;
    // A screen reader would announce a heading without a text.
    const std::string_view name = names_row ? "th" : cells[i].html.empty() ? "td" : tag;
    rows_ += base::cat("<", name, i < names_ && !names_row ? " class=\"n\">" : ">", cells[i].html,
                       "</", name, ">");
  }
  rows_ += "</tr>\n";
}

std::string Table::html() const {
  return base::cat("<div class=\"scroll\" tabindex=\"0\"><table>\n", rows_, "</table></div>\n");
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string out = "<dl class=\"facts\">\n";
  for (const auto& [name, value] : pairs)
    out += base::cat("<div><dt>", escaped(name, kLongName), "</dt><dd>", escaped(value, kLongName),
                     "</dd></div>\n");
  return out + "</dl>\n";
}

std::string paragraph(std::string_view text, std::string_view kind) {
  if (text.empty()) return "";
  const std::string tag = kind.empty() ? "<p>" : base::cat("<p class=\"", kind, "\">");
  return base::cat(tag, escaped(text), "</p>\n");
}

std::string list(const std::vector<std::string>& texts) {
  if (texts.empty()) return "";
  std::string out = "<ul>\n";
  for (const std::string& text : texts) out += base::cat("<li>", escaped(text), "</li>\n");
  return out + "</ul>\n";
}

std::string code(std::string_view lines) {
  return base::cat("<pre class=\"copy\" tabindex=\"0\">", escaped_lines(lines), "</pre>\n");
}

std::string folded(std::string_view title, std::string_view html) {
  return base::cat("<details><summary>", escaped(title), "</summary>\n", html, "</details>\n");
}

std::string bar(const std::vector<std::pair<std::string, double>>& shares) {
  constexpr double kLength = 110, kLeast = 0.1;  // in the units of the picture, as page.css has it
  std::string out = "<svg class=\"bar\" viewBox=\"0 0 110 8\" aria-hidden=\"true\">";
  double at = 0;
  for (const auto& [kind, share] : shares) {
    const double length = std::isfinite(share) ? std::clamp(share * kLength, 0.0, kLength - at) : 0;
    if (length < kLeast) continue;
    out += base::cat("<rect class=\"", kind, "\"",
                     at > 0 ? base::cat(" x=\"", base::with_decimals(at, 1), "\"") : std::string(),
                     " width=\"", base::with_decimals(length, 1), "\" height=\"8\"/>");
    at += length;
  }
  return out + "</svg>";
}

std::string picture(std::string_view name, std::string_view label) {
  return base::cat("<figure class=\"chart\" data-chart=\"", name, "\" aria-label=\"",
                   escaped(label), "\"></figure>\n");
}

}  // namespace hpo::report
