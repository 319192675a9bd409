#include "hpo/driver/same_study.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace hpo {

namespace {

constexpr std::string_view kContentMark = "# data content: ";
constexpr std::string_view kContent = "rows of data";  // in the place of a key
constexpr std::string_view kContentFrom = "rows of data (or another model or replay of from)";
constexpr std::string_view kFrom = "from";
constexpr std::string_view kAdapt = "adapt";
constexpr std::string_view kData = "data";
constexpr std::array<std::string_view, 6> kMayChange{"limits",    "parallel",   "retry",
                                                     "resources", "checkpoint", "store"};
constexpr std::array<std::string_view, 3> kSearch{"method", "early_stop", "seed"};

bool names_source(std::string_view key, std::string_view line) {
  return key == kData && (line.starts_with("  csv:") || line.starts_with("  idx:"));
}

/// Of the block `key`.
bool names_place(std::string_view key, std::string_view line) {
  if (names_source(key, line) || line.starts_with("folder:")) return true;
  if (key == kAdapt) return line.starts_with("  plugin:") || line.starts_with("  folder:");
  return key == kFrom && (line.starts_with("  model:") || line.starts_with("  replay:"));
}

/// Takes the first line, its end included, off a text that is not empty.
std::string_view take_line(std::string_view& text) {
  std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
  text.remove_prefix(line.size());
  return line;
}

/// The key of the top level that a line belongs to, `before` being that of the line before.
std::string_view key_at(std::string_view line, std::string_view before) {
  const bool is_key = !line.starts_with(' ') && !line.starts_with('#') && !line.starts_with('-');
  return is_key ? line.substr(0, line.find(':')) : before;
}

/// The text of each key of the top level: its line and the indented ones below it.
std::map<std::string, std::string, std::less<>> blocks_of(std::string_view text) {
  std::map<std::string, std::string, std::less<>> blocks;
  std::string* block = nullptr;
  std::string_view key;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    if (line.starts_with(kContentMark)) blocks[std::string(kContent)] = line;
    // Where the data lies is not what it is: the content counts. So it is with a program's folder.
    if (names_place(key, line)) continue;
    const std::string_view now = key_at(line, key);
    if (now.data() != key.data() && now.size() < line.size()) {
      block = &blocks[std::string(now)];
      line.remove_prefix(now.size() + 1);
    }
    key = now;
    if (block) block->append(line);
  }
  return blocks;
}

std::string_view one_word(std::string_view text) { return text.substr(0, text.find('\n')); }

/// Without the blanks around them.
std::vector<std::string_view> lines_of(std::string_view text) {
  constexpr std::string_view kBlanks = " \n";
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    std::string_view line = take_line(text);
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    lines.push_back(line.substr(0, line.find_last_not_of(kBlanks) + 1));
  }
  return lines;
}

/// "lr" and "{min: 0.1}" of "lr: {min: 0.1}"; no name where there is none.
std::pair<std::string_view, std::string_view> named(std::string_view line) {
  const std::size_t colon = line.find(": ");
  const bool has_name = colon < line.find_first_of("{[\"");
  if (!has_name) return {"", line};
  return {line.substr(0, colon), line.substr(colon + 2)};
}

/// What the commas of a map part, those inside of lists and maps left alone.
std::vector<std::string_view> fields_of(std::string_view map) {
  std::vector<std::string_view> fields;
  std::size_t begin = 1;
  int depth = 0;
  for (std::size_t i = 1; i < map.size(); ++i) {
    const char c = map[i];
    const bool ends = depth == 0 && (c == ',' || i + 1 == map.size());
    if (ends) {
      fields.push_back(map.substr(begin, i - begin));
      begin = i + 2;
    }
    depth += (c == '[' || c == '{') ? 1 : (c == ']' || c == '}') ? -1 : 0;
  }
  return fields;
}

bool is_map(std::string_view text) { return text.starts_with('{') && text.ends_with('}'); }

/// "lr.min is 0.2, there 0.1": where two lines of a resolved file differ first.
std::string difference_of_lines(std::string_view before, std::string_view after) {
  const auto [name, now] = named(after);
  const auto [old_name, old] = named(before);
  if (name != old_name) return base::cat(after, ", there ", before);
  if (name == "content") return base::cat("another library: content ", now, ", there ", old);
  const std::string_view dot = name.empty() ? "" : ".", is = name.empty() ? "" : " is ";
  if (is_map(now) && is_map(old)) {
    const std::vector<std::string_view> fields = fields_of(now), old_fields = fields_of(old);
    const std::size_t both = std::min(fields.size(), old_fields.size());
    for (std::size_t i = 0; i < both; ++i) {
      const auto [field, value] = named(fields[i]);
      const auto [old_field, old_value] = named(old_fields[i]);
      if (fields[i] != old_fields[i] && field == old_field && !field.empty())
        return base::cat(name, dot, field, " is ", value, ", there ", old_value);
      if (fields[i] != old_fields[i]) break;
    }
  }
  return base::cat(name, is, now, ", there ", old);
}

/// " (lr.min is 0.2, there 0.1)": where the texts of a key differ first.
std::string details_of(std::string_view before, std::string_view after) {
  if (before.empty()) return " (there is none there)";
  if (after.empty()) return " (there is one there)";
  const std::vector<std::string_view> was = lines_of(before), is = lines_of(after);
  const std::size_t both = std::min(was.size(), is.size());
  for (std::size_t i = 0; i < both; ++i) {
    if (was[i] != is[i]) return base::cat(" (", difference_of_lines(was[i], is[i]), ")");
  }
  return is.size() > both ? base::cat(" (", is[both], " is not there)")
                          : base::cat(" (there also ", was[both], ")");
}

std::string one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool blank = c == ' ' || c == '\n';
    if (!blank || (!out.empty() && out.back() != ' ')) out += blank ? ' ' : c;
  }
  if (out.ends_with(' ')) out.pop_back();
  return out.empty() ? "not there" : out;
}

}  // namespace

std::string with_places_of(std::string_view logged, std::string_view now) {
  const auto which = [](std::string_view key, std::string_view line) {
    if (names_source(key, line)) return std::string_view("source");
    if (key == kFrom && line.starts_with("  replay:")) return std::string_view("replay");
    if (key == kAdapt && line.starts_with("  plugin:")) return std::string_view("plugin");
    return std::string_view();
  };
  std::map<std::string_view, std::string_view> places;
  std::string_view key;
  while (!now.empty()) {
    const std::string_view line = take_line(now);
    key = key_at(line, key);
    if (const std::string_view place = which(key, line); !place.empty())
      places.try_emplace(place, line);
  }
  std::string out;
  key = {};
  while (!logged.empty()) {
    const std::string_view line = take_line(logged);
    key = key_at(line, key);
    const auto place = places.find(which(key, line));
    out += place != places.end() ? place->second : line;
  }
  return out;
}

std::string with_content(std::string resolved, std::string_view content) {
  if (!resolved.ends_with('\n')) resolved += '\n';
  return base::cat(resolved, kContentMark, content, "\n");
}

std::string in_todays_words(const std::string& logged, std::string_view now, const DataInfo& data) {
  std::size_t mark = logged.rfind(kContentMark);
  std::string_view content =
      mark == logged.npos ? ""
                          : one_word(std::string_view(logged).substr(mark + kContentMark.size()));
  try {
    StudySpec study = parse_study(with_places_of(logged, now), "study.yaml", "/");
    if (study.numbers_steps()) return resolved_yaml(study);
    return with_content(resolved_yaml(settle(study, data)), content);
  } catch (const base::Error&) {
    return logged;
  }
}

namespace {

bool is_among(std::span<const std::string_view> keys, std::string_view key) {
  return std::ranges::find(keys, key) != keys.end();
}

/// What two resolved files say otherwise: what may change, and the keys of what may not.
struct Differences {
  std::vector<Changed> changes;
  std::string refused;
};

Differences differences(std::string_view logged, std::string_view now, bool unsearched) {
  auto before = blocks_of(logged);
  auto after = blocks_of(now);
  for (const auto& [key, text] : before) after.try_emplace(key);
  Differences found;
  for (const auto& [key, text] : after) {
    if (before[key] == text) continue;
    if (is_among(kMayChange, key) || (unsearched && is_among(kSearch, key)))
      found.changes.push_back({key, one_line(before[key]), one_line(text)});
    else
      found.refused +=
          base::cat(found.refused.empty() ? "" : ", ",
                    key == kContent && after.contains(kFrom) ? kContentFrom : std::string_view(key),
                    key == kContent ? "" : details_of(before[key], text));
  }
  return found;
}

}  // namespace

std::string what_is_other(std::string_view logged, std::string_view now, bool unsearched) {
  return differences(logged, now, unsearched).refused;
}

std::vector<Changed> changes_between(std::string_view logged, std::string_view now,
                                     bool unsearched) {
  Differences found = differences(logged, now, unsearched);
  if (!found.refused.empty())
    throw base::Error(
        base::Errc::study,
        base::cat("the study that is there was made from a file with other ", found.refused,
                  ": give this one another name (--name), or remove the "
                  "study's folder"));
  return std::move(found.changes);
}

}  // namespace hpo
