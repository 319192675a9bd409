#include "hpo/driver/programs/printed_metric.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/ascii.h"
#include "base/text.h"
#include "hpo/driver/programs/visible_text.h"

namespace hpo {

namespace {

constexpr std::string_view kBlanks = " \t";

/// How well a name fits, the better the larger.
enum class Fit : std::uint8_t { none, other, part, own };

bool is_of_name(char c) {
  return base::is_letter_or_digit(c) || c == '_' || c == '.' || c == '/' || c == '-';
}

Fit fit_of(std::string_view name, const std::string& metric) {
  if (name == metric) return Fit::own;
  const bool part = name.find(metric) != name.npos || metric.find(std::string(name)) != metric.npos;
  return part ? Fit::part : Fit::other;
}

/// With what RE2 takes for more than itself after a backslash.
std::string quoted(std::string_view text) {
  constexpr std::string_view kSpecial = ".+*?()[]{}|^$\\";
  std::string out;
  for (const char c : text) {
    if (kSpecial.find(c) != kSpecial.npos) out += '\\';
    out += c;
  }
  return out;
}

/// One line, looked at from `at`, where a `=` or `:` stands.
struct Found {
  Fit fit = Fit::none;
  PrintedMetric metric;
};

Found found_at(std::string_view line, std::size_t at, const std::string& metric) {
  const std::size_t last = at == 0 ? line.npos : line.find_last_not_of(kBlanks, at - 1);
  if (last == line.npos || !is_of_name(line[last])) return {};
  std::size_t begin = last;
  while (begin > 0 && is_of_name(line[begin - 1])) --begin;
  const std::string_view name = line.substr(begin, last + 1 - begin);
  const std::size_t from = line.find_first_not_of(kBlanks, at + 1);
  if (!base::is_letter(name.front()) || from == line.npos) return {};
  const std::size_t end = std::min(line.find_first_of(" \t,;)]}|%'\"", from), line.size());
  if (!base::parse_double(line.substr(from, end - from))) return {};
  const bool alone = end == line.size() || kBlanks.find(line[end]) != kBlanks.npos;
  const std::string group =
      alone ? "(\\S+)" : base::cat("([^\\s", line[end] == ']' ? "\\" : "", line[end], "]+)");
  return {fit_of(name, metric),
          {.text = std::string(line.substr(begin, end - begin)),
           .expression = quoted(line.substr(begin, from - begin)) + group}};
}

}  // namespace

std::optional<PrintedMetric> find_printed(const std::string& metric,
                                          const std::vector<std::string>& lines) {
  Found best;
  for (const std::string& printed : lines) {
    for (const std::string& line : visible_lines(printed)) {
      for (std::size_t at = line.find_first_of("=:"); at != line.npos;
           at = line.find_first_of("=:", at + 1)) {
        Found found = found_at(line, at, metric);
        if (found.fit != Fit::none && found.fit >= best.fit) best = std::move(found);
      }
    }
  }
  return best.fit == Fit::none ? std::nullopt : std::optional(std::move(best.metric));
}

}  // namespace hpo
