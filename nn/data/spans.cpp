#include "nn/data/spans.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/ascii.h"
#include "base/text.h"

namespace nn {

namespace {

constexpr double kMinute = 60, kHour = 3600, kDay = 86400, kWeek = 7 * kDay;

void skip_blanks(std::string_view& text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
}

/// Takes a number without a sign off the front, with a fraction where `fraction` says so.
std::optional<double> take_number(std::string_view& text, bool fraction) {
  constexpr std::size_t kMostDigits = 9;
  std::size_t end = 0;
  while (end < text.size() && base::is_digit(text[end])) ++end;
  if (end == 0 || end > kMostDigits) return {};
  if (fraction && end + 1 < text.size() && (text[end] == '.' || text[end] == ',') &&
      base::is_digit(text[end + 1])) {
    std::string number(text.substr(0, end));
    number += '.';
    for (++end; end < text.size() && base::is_digit(text[end]); ++end) number += text[end];
    text.remove_prefix(end);
    return base::parse_double(number);
  }
  const auto number = base::parse_double(text.substr(0, end));
  text.remove_prefix(end);
  return number;
}

std::string_view take_letters(std::string_view& text) {
  const auto end = std::ranges::find_if_not(text, base::is_letter);
  const std::string_view letters = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(letters.size());
  return letters;
}

/// Seconds of a unit by its name; 0 for what is none.
double unit_of(std::string_view name) {
  using Unit = std::pair<std::string_view, double>;
  constexpr std::array<Unit, 24> kUnits{
      {{"w", kWeek},     {"week", kWeek},   {"weeks", kWeek},    {"d", kDay},
       {"day", kDay},    {"days", kDay},    {"h", kHour},        {"hr", kHour},
       {"hrs", kHour},   {"hour", kHour},   {"hours", kHour},    {"m", kMinute},
       {"min", kMinute}, {"mins", kMinute}, {"minute", kMinute}, {"minutes", kMinute},
       {"s", 1},         {"sec", 1},        {"secs", 1},         {"second", 1},
       {"seconds", 1},   {"ms", 1e-3},      {"millis", 1e-3},    {"us", 1e-6}}};
  const std::string word = base::lowered(name);
  const auto found = std::ranges::find(kUnits, word, &Unit::first);
  return found == kUnits.end() ? 0 : found->second;
}

/// Takes two digits below 60 off the front, and a fraction that ends the text.
std::optional<double> take_sixtieth(std::string_view& text) {
  if (text.size() < 2 || !base::is_digit(text[0]) || !base::is_digit(text[1])) return {};
  const bool more = text.size() > 2 && text[2] != ':';
  if (more && text[2] != '.' && text[2] != ',') return {};
  const auto number = more ? take_number(text, true) : base::parse_double(text.substr(0, 2));
  if (!more) text.remove_prefix(2);
  if (!number || *number >= 60 || (more && !text.empty())) return {};
  return number;
}

/// 1:02:03.5 or 62:03, to the end of the text.
std::optional<double> read_colons(std::string_view text) {
  constexpr int kMostParts = 3;
  const auto first = take_number(text, false);
  if (!first || !text.starts_with(':')) return {};
  double seconds = *first;
  for (int parts = 1; text.starts_with(':'); ++parts) {
    text.remove_prefix(1);
    const auto next = take_sixtieth(text);
    if (!next || parts == kMostParts) return {};
    seconds = 60 * seconds + *next;
  }
  return text.empty() ? std::optional(seconds) : std::nullopt;
}

/// "2 days 01:02:03", "1h 30m": numbers with units, perhaps with a clock behind days.
std::optional<double> read_parts(std::string_view text) {
  double seconds = 0, smallest = 2 * kWeek;
  while (!text.empty()) {
    if (smallest == kDay) {
      std::string_view clock = text;
      if (clock.starts_with('+')) clock.remove_prefix(1);
      if (const auto rest = read_colons(clock)) return seconds + *rest;
    }
    const auto number = take_number(text, true);
    if (!number) return {};
    skip_blanks(text);
    const double unit = unit_of(take_letters(text));
    if (unit == 0 || unit >= smallest) return {};
    seconds += *number * unit;
    smallest = unit;
    if (text.starts_with(',')) text.remove_prefix(1);
    skip_blanks(text);
  }
  return smallest < 2 * kWeek ? std::optional(seconds) : std::nullopt;
}

/// ISO 8601 behind its P: 1DT2H30M, T45M, 2W.
std::optional<double> read_iso(std::string_view text) {
  double seconds = 0;
  bool time = false, any = false;
  while (!text.empty()) {
    if (!time && text.starts_with('T')) {
      time = true;
      text.remove_prefix(1);
    }
    const auto number = take_number(text, true);
    if (!number || text.empty()) return {};
    const char letter = text.front();
    text.remove_prefix(1);
    const std::string_view allowed = time ? "HMS" : "DW";
    if (allowed.find(letter) == std::string_view::npos) return {};
    seconds += *number * unit_of({&letter, 1});
    any = true;
  }
  return any ? std::optional(seconds) : std::nullopt;
}

}  // namespace

std::optional<double> read_span(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.size() > 64) return {};
  std::optional<double> seconds;
  // Of "-1 days +23:59:59" only the days are negative.
  const std::size_t plus = text.find(" +");
  if (minus && plus != std::string_view::npos) {
    const auto days = read_parts(text.substr(0, plus));
    const auto rest = read_colons(text.substr(plus + 2));
    return days && rest ? std::optional(*rest - *days) : std::nullopt;
  }
  if (text.starts_with('P'))
    seconds = read_iso(text.substr(1));
  else if (!(seconds = read_colons(text)))
    seconds = read_parts(text);
  if (seconds && minus) seconds = -*seconds;
  return seconds;
}

}  // namespace nn
