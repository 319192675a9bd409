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
  const std::string theirs = base::lowered(name), ours = base::lowered(metric);
  const bool part = theirs.find(ours) != theirs.npos || ours.find(theirs) != ours.npos;
  return part ? Fit::part : Fit::other;
}

/// Where the words begin that stand before a name and belong to it: "F1 " before "Score", two at
/// most, without numbers.
std::size_t begin_of_words(std::string_view line, std::size_t name) {
  constexpr int kMost = 2;
  for (int i = 0; i < kMost && name >= 2 && line[name - 1] == ' '; ++i) {
    std::size_t begin = name - 1;
    while (begin > 0 && is_of_name(line[begin - 1])) --begin;
    if (!base::is_letter(line[begin])) break;
    name = begin;
  }
  return name;
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
  std::string name;
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
  Fit fit = fit_of(name, metric);
  const std::size_t words = begin_of_words(line, begin);
  if (fit != Fit::own && fit_of(line.substr(words, last + 1 - words), metric) == Fit::part) {
    begin = words;
    fit = Fit::part;
  }
  const std::string group =
      alone ? "(\\S+)" : base::cat("([^\\s", line[end] == ']' ? "\\" : "", line[end], "]+)");
  return {fit,
          std::string(name),
          {.text = std::string(line.substr(begin, end - begin)),
           .expression = quoted(line.substr(begin, from - begin)) + group}};
}

}  // namespace

std::optional<PrintedMetric> find_printed(const std::string& metric,
                                          const std::vector<std::string>& lines,
                                          const std::vector<std::string>& params) {
  Found best;
  for (const std::string& printed : lines) {
    for (const std::string& line : visible_lines(printed)) {
      for (std::size_t at = line.find_first_of("=:"); at != line.npos;
           at = line.find_first_of("=:", at + 1)) {
        Found found = found_at(line, at, metric);
        if (std::ranges::find(params, found.name) != params.end() && found.fit != Fit::own)
          continue;
        if (found.fit != Fit::none && found.fit >= best.fit) best = std::move(found);
      }
    }
  }
  return best.fit == Fit::none ? std::nullopt : std::optional(std::move(best.metric));
}

}  // namespace hpo
