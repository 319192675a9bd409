#include "hpo/study/writer.h"

#include <algorithm>

#include "base/ascii.h"
#include "hpo/study/binding.h"
#include "hpo/study/field.h"
#include "hpo/study/substitute.h"

namespace hpo {

namespace study {

namespace {

constexpr int kBlockLevels = 2;  // deeper maps and lists stand on one line

std::string scalar_text(const Node& node) {
  if (node.is_null()) return "null";
  const bool reference =
      node.text.size() > 1 && node.text[0] == '$' && is_parameter_name(node.text.substr(1));
  if (reference) return node.text;
  const bool plain = !node.quoted && !std::holds_alternative<std::string>(read_scalar(node.text));
  return plain ? node.text : text_of(ParamValue(node.text));
}

/// A key as it has to be written: names that a user chose may hold anything.
std::string key_text(const std::string& key) {
  const auto plain = [](char c) { return base::is_letter_or_digit(c) || c == '_' || c == '.'; };
  const bool is_null = std::holds_alternative<std::monostate>(read_scalar(key));
  return !is_null && std::ranges::all_of(key, plain) ? key : text_of(ParamValue(key));
}

}  // namespace

std::string flow(const Node& node) {
  std::string text;
  for (const Node& item : node.items) text += (text.empty() ? "" : ", ") + flow(item);
  for (const Entry& entry : node.entries)
    text += base::cat(text.empty() ? "" : ", ", key_text(entry.key), ": ", flow(entry.value));
  if (node.is_list()) return "[" + text + "]";
  if (node.is_map()) return "{" + text + "}";
  return scalar_text(node);
}

namespace {

void write_value(std::string& out, const Node& node, int level);

void write_map(std::string& out, const Node& map, int level) {
  for (const Entry& entry : map.entries) {
    out += std::string(static_cast<std::size_t>(2 * level), ' ') + key_text(entry.key) + ":";
    write_value(out, entry.value, level + 1);
  }
}

void write_value(std::string& out, const Node& node, int level) {
  if (node.is_map() && level < kBlockLevels && !node.entries.empty() &&
      node.find("type") == nullptr) {
    out += "\n";
    write_map(out, node, level);
  } else if (node.is_list() && level == 1 && !node.items.empty()) {
    out += "\n";
    for (const Node& item : node.items) out += "  - " + flow(item) + "\n";
  } else {
    out += " " + flow(node) + "\n";
  }
}

}  // namespace

std::string yaml_of(const Node& root) {
  std::string text = "# The study with every default written out. Made by trellis.\n";
  write_map(text, root, 0);
  return text;
}

Node written(const StudySpec& study) {
  const std::string_view source = study.runs_command ? "command" : study.is_asked ? "ask" : "data";
  return write_block(&study, study_block(), source).value();
}

}  // namespace study

std::string resolved_yaml(const StudySpec& study) { return study::yaml_of(study::written(study)); }

}  // namespace hpo
