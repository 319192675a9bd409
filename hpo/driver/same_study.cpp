#include "hpo/driver/same_study.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "hpo/study/field.h"
#include "hpo/study/writer.h"
#include "hpo/study/yaml_reader.h"

namespace hpo {

namespace {

using study::Entry;
using study::Field;
using study::Node;

constexpr std::string_view kContentMark = "# data content: ";
constexpr std::string_view kContent = "rows of data";  // in the place of a key
constexpr std::string_view kContentFrom = "rows of data (or a different from.model or from.replay)";
constexpr std::array<std::string_view, 9> kMayChange{
    "limits", "parallel", "retry", "resources", "checkpoint", "store", "nodes", "output", "report"};
constexpr std::string_view kIsa = "isa";  // of resources: which bits, unlike the rest of them
constexpr std::array<std::string_view, 3> kSearch{"method", "early_stop", "seed"};
// Between and behind two values.
constexpr std::string_view kNow = " now, ", kThere = " in the old study";

/// The rows of a value's keys.
const Field* block_of(const Node& value, const Field& row) {
  if (row.type == study::Type::block) return &row;
  if (row.kinds == nullptr || !value.is_map()) return nullptr;
  const Node* kind = value.find(row.kinds()->key);
  const study::Kind* known = kind != nullptr ? row.kinds()->find(kind->text) : nullptr;
  return known != nullptr ? &known->block : nullptr;
}

/// Calls `visit(entry, path)` for each path of the file system below a resolved file's map.
template <class Visit>
void visit_places(Node& map, const Field& block, const std::string& path, const Visit& visit) {
  for (Entry& entry : map.entries) {
    const Field* row = block.find(entry.key);
    if (row == nullptr) continue;
    const std::string here = base::cat(path, ".", entry.key);
    if (row->place)
      visit(entry, here);
    else if (const Field* inner = block_of(entry.value, *row))
      visit_places(entry.value, *inner, here, visit);
  }
}

std::string content_of(std::string_view text) {
  const std::size_t mark = text.rfind(kContentMark);
  if (mark == text.npos) return "";
  text.remove_prefix(mark + kContentMark.size());
  return std::string(text.substr(0, text.find('\n')));
}

Node tree_of(std::string_view resolved) {
  return study::with_place("study.yaml", [&] { return study::read_yaml(resolved); });
}

/// The values of a resolved file by key, without paths: the content of data counts, not its place.
std::map<std::string, Node, std::less<>> values_of(std::string_view resolved) {
  Node root = tree_of(resolved);
  visit_places(root, study::study_block(), "",
               [](Entry& entry, const std::string&) { entry.value = Node{}; });
  std::map<std::string, Node, std::less<>> values;
  for (Entry& entry : root.entries) {
    if (entry.key == "resources" && entry.value.is_map()) {
      std::erase_if(entry.value.entries, [&](const Entry& need) {
        if (need.key == kIsa) values.emplace(base::cat(entry.key, ".", kIsa), need.value);
        return need.key == kIsa;
      });
    }
    values.emplace(entry.key, std::move(entry.value));
  }
  if (const std::string content = content_of(resolved); !content.empty())
    values.emplace(kContent, study::string_node(content, {}));
  return values;
}

std::string line_of(const Entry& entry) { return base::cat(entry.key, ": ", flow(entry.value)); }

/// "lr.min is 0.2 now, 0.1 in the old study": where two values differ first. `path` leads to them.
std::string difference(const Node& was, const Node& is, const std::string& path) {
  const auto whole = [&] {
    const std::string_view says = path.empty() ? "" : " is ";
    return base::cat(path, says, flow(is), kNow, flow(was), kThere);
  };
  if (path.empty() && was.is_list() && is.is_list()) {
    for (std::size_t i = 0; i < std::min(was.items.size(), is.items.size()); ++i)
      if (!same(was.items[i], is.items[i]))
        return base::cat(flow(is.items[i]), kNow, flow(was.items[i]), kThere);
  }
  if (!was.is_map() || !is.is_map()) return whole();
  const std::size_t both = std::min(was.entries.size(), is.entries.size());
  for (std::size_t i = 0; i < both; ++i) {
    const Entry &before = was.entries[i], &after = is.entries[i];
    if (before.key == after.key && same(before.value, after.value)) continue;
    if (before.key != after.key)
      return path.empty() ? base::cat(line_of(after), kNow, line_of(before), kThere) : whole();
    if (after.key == "content")
      return base::cat("another library: content ", after.value.text, kNow, before.value.text,
                       kThere);
    return difference(before.value, after.value,
                      path.empty() ? after.key : base::cat(path, ".", after.key));
  }
  if (!path.empty()) return whole();
  return is.entries.size() > both ? line_of(is.entries[both]) + " is not in the old study"
                                  : "the old study also has " + line_of(was.entries[both]);
}

/// " (lr.min is 0.2 now, 0.1 in the old study)"; null: the key is not there.
std::string details_of(const Node* before, const Node* after) {
  if (before == nullptr) return " (the old study has none)";
  if (after == nullptr) return " (only the old study has it)";
  return base::cat(" (", difference(*before, *after, ""), ")");
}

/// The value of a key as one line of the log.
std::string one_line(const Node* value) {
  if (value == nullptr) return "not there";
  if (!value->is_map()) return flow(*value);
  std::string text;
  for (const Entry& entry : value->entries)
    text += base::cat(text.empty() ? "" : " ", line_of(entry));
  return text;
}

}  // namespace

std::string with_places_of(std::string_view logged, std::string_view now) {
  Node root = tree_of(logged), today = tree_of(now);
  std::map<std::string, Node, std::less<>> places;
  visit_places(today, study::study_block(), "", [&](const Entry& entry, const std::string& path) {
    places.emplace(path, entry.value);
  });
  visit_places(root, study::study_block(), "", [&](Entry& entry, const std::string& path) {
    if (const auto place = places.find(path); place != places.end()) entry.value = place->second;
  });
  return study::yaml_of(root);
}

std::string with_content(std::string resolved, std::string_view content) {
  if (!resolved.ends_with('\n')) resolved += '\n';
  return base::cat(resolved, kContentMark, content, "\n");
}

std::string in_todays_words(const std::string& logged, std::string_view now, const DataInfo& data) {
  try {
    StudySpec study = parse_study(with_places_of(logged, now), "study.yaml", "/");
    if (study.numbers_steps()) return resolved_yaml(study);
    return with_content(resolved_yaml(settle(study, data)), content_of(logged));
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
  const auto before = values_of(logged), after = values_of(now);
  std::set<std::string, std::less<>> keys;
  for (const auto* values : {&before, &after})
    for (const auto& [key, value] : *values) keys.insert(key);
  const auto value_of = [](const auto& values, const std::string& key) {
    const auto found = values.find(key);
    return found != values.end() ? &found->second : nullptr;
  };
  Differences found;
  for (const std::string& key : keys) {
    const Node *was = value_of(before, key), *is = value_of(after, key);
    if (was != nullptr && is != nullptr && same(*was, *is)) continue;
    if (is_among(kMayChange, key) || (unsearched && is_among(kSearch, key)))
      found.changes.push_back({key, one_line(was), one_line(is)});
    else
      found.refused += base::cat(
          found.refused.empty() ? "" : ", ",
          key == kContent && after.contains("from") ? kContentFrom : std::string_view(key),
          key == kContent ? "" : details_of(was, is));
  }
  return found;
}

}  // namespace

std::string what_is_other(std::string_view logged, std::string_view now, bool unsearched) {
  return differences(logged, now, unsearched).refused;
}

std::vector<Changed> changes_between(std::string_view logged, std::string_view now,
                                     bool unsearched) {
  return differences(logged, now, unsearched).changes;
}

base::Error other_study(const base::Path& folder, std::string_view other) {
  const std::string name = folder.string();
  return {base::Errc::study, base::cat(name, " already holds a study that differs in ", other,
                                       ": give the new study another name (to reuse the old "
                                       "trials, add \"warm_start: ",
                                       name, "\" to it), or delete ", name)};
}

}  // namespace hpo
