#include "hpo/study/substitute.h"

#include <algorithm>
#include <functional>

#include "base/ascii.h"
#include "base/text.h"
#include "hpo/study/scalars.h"

namespace hpo::study {

namespace {

bool begins_name(char c) { return base::is_letter(c) || c == '_'; }
bool continues_name(char c) { return begins_name(c) || base::is_digit(c); }

std::size_t name_length(std::string_view text) {
  if (text.empty() || !begins_name(text[0])) return 0;
  std::size_t length = 1;
  while (length < text.size() && continues_name(text[length])) ++length;
  return length;
}

/// Calls `literal` and `name` with the pieces of a scalar's text, in order.
void split(const Node& node, const std::function<void(std::string_view)>& literal,
           const std::function<void(std::string_view)>& name) {
  std::string_view rest = node.text;
  while (!rest.empty()) {
    const std::size_t dollar = std::min(rest.find('$'), rest.size());
    if (dollar > 0) literal(rest.substr(0, dollar));
    rest.remove_prefix(dollar);
    if (rest.empty()) return;
    if (rest.starts_with("$$")) {
      literal("$");
      rest.remove_prefix(2);
      continue;
    }
    const bool braces = rest.starts_with("${");
    rest.remove_prefix(braces ? 2 : 1);
    const std::size_t length = name_length(rest);
    if (length == 0 || (braces && rest.substr(length, 1) != "}")) {
      throw StudyError(node.at, base::cat("a dollar stands without a name in ", describe(node),
                                          ", expected $name, ${name}, or $$ for a dollar"));
    }
    name(rest.substr(0, length));
    rest.remove_prefix(length + (braces ? 1 : 0));
  }
}

std::optional<Node> substitute_scalar(const Node& node, const Params& params) {
  if (node.text.find('$') == std::string::npos) return node;
  const References found = references(node);
  for (const std::string& name : found.names) {
    if (!params.contains(name)) return std::nullopt;
  }
  if (found.whole) return node_of(*params.find(found.names[0]), node.at);
  Node result = node;
  result.text.clear();
  split(
      node, [&](std::string_view text) { result.text += text; },
      [&](std::string_view name) { result.text += plain_text_of(*params.find(name)); });
  return result;
}

}  // namespace

bool is_parameter_name(std::string_view name) {
  return !name.empty() && name_length(name) == name.size();
}

References references(const Node& scalar) {
  References found;
  int literals = 0;
  split(
      scalar, [&](std::string_view) { ++literals; },
      [&](std::string_view name) { found.names.emplace_back(name); });
  found.whole = found.names.size() == 1 && literals == 0;
  return found;
}

void collect_names(const Node& node, std::set<std::string, std::less<>>& names) {
  if (node.is_scalar() && node.text.find('$') != std::string::npos) {
    for (const std::string& name : references(node).names) names.insert(name);
  }
  for (const Node& item : node.items) collect_names(item, names);
  for (const Entry& entry : node.entries) collect_names(entry.value, names);
}

bool stands_for_itself(const Node& node) {
  return node.text.find('$') == std::string::npos &&
         std::ranges::all_of(node.items, stands_for_itself) &&
         std::ranges::all_of(node.entries, stands_for_itself, &Entry::value);
}

std::optional<Node> substitute(const Node& node, const Params& params) {
  if (node.is_scalar()) return substitute_scalar(node, params);
  Node result{.kind = node.kind,
              .at = node.at,
              .text = node.text,
              .quoted = node.quoted,
              .open_kind = node.open_kind,
              .items = {},
              .entries = {}};
  for (const Node& item : node.items) {
    if (auto value = substitute(item, params)) result.items.push_back(std::move(*value));
  }
  for (const Entry& entry : node.entries) {
    if (auto value = substitute(entry.value, params))
      result.entries.push_back({entry.key, entry.key_at, std::move(*value)});
  }
  return result;
}

std::string escape(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '$' ? "$$" : std::string(1, c);
  return result;
}

Node unescape(const Node& node) {
  std::set<std::string, std::less<>> names;
  collect_names(node, names);
  if (!names.empty())
    throw StudyError(node.at,
                     base::cat(describe(node), " has the parameter ", *names.begin(),
                               " in it, but is the same for all trials, expected a value ($$ for "
                               "a dollar)"));
  return *substitute(node, {});
}

}  // namespace hpo::study
