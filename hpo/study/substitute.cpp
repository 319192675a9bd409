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

/// A piece of a scalar that refers to a parameter: `$name`, or `${name?yes:no}`.
struct Piece {
  std::string_view name;
  bool chooses = false;      ///< one of two texts, by a bool
  std::string_view yes, no;  ///< these
};

[[noreturn]] void refuse_dollar(const Node& node, std::string_view what) {
  throw StudyError(node.at, base::cat(what, " in ", describe(node),
                                      ", expected $name, ${name}, or $$ for a dollar sign"));
}

/// Reads the piece that begins `rest` with a dollar, and takes it away from there.
Piece take_piece(const Node& node, std::string_view& rest) {
  const bool braces = rest.starts_with("${");
  rest.remove_prefix(braces ? 2 : 1);
  Piece piece{.name = rest.substr(0, name_length(rest))};
  if (piece.name.empty()) refuse_dollar(node, "a $ has no name after it");
  rest.remove_prefix(piece.name.size());
  if (!braces) return piece;
  const std::size_t end = rest.find('}');
  if (end == rest.npos) refuse_dollar(node, "a ${ has no closing }");
  std::string_view inside = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  if (inside.empty()) return piece;
  if (inside.front() != '?') refuse_dollar(node, "the name after ${ is not a parameter name");
  inside.remove_prefix(1);
  const std::size_t colon = std::min(inside.find(':'), inside.size());
  piece.chooses = true;
  piece.yes = inside.substr(0, colon);
  piece.no = inside.substr(std::min(colon + 1, inside.size()));
  return piece;
}

/// Calls `literal` and `refer` with the pieces of a scalar's text, in order.
void split(const Node& node, const std::function<void(std::string_view)>& literal,
           const std::function<void(const Piece&)>& refer) {
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
    refer(take_piece(node, rest));
  }
}

std::string chosen_text(const Node& node, const Piece& piece, const ParamValue& value) {
  if (!piece.chooses) return plain_text_of(value);
  const bool* const truth = std::get_if<bool>(&value);
  if (truth == nullptr)
    throw StudyError(node.at,
                     base::cat("${", piece.name, "?...} needs a bool parameter, but ", piece.name,
                               " has values such as ", base::printable(json_of(value), 60),
                               "; give it values: [true, false]"));
  return std::string(*truth ? piece.yes : piece.no);
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
  bool is_choice = found.names.size() == 1;  // and nothing else
  split(
      node,
      [&](std::string_view text) {
        result.text += text;
        is_choice = false;
      },
      [&](const Piece& piece) {
        result.text += chosen_text(node, piece, *params.find(piece.name));
      });
  if (is_choice && result.text.empty()) return std::nullopt;
  return result;
}

}  // namespace

bool is_parameter_name(std::string_view name) {
  return !name.empty() && name_length(name) == name.size();
}

References references(const Node& scalar) {
  References found;
  int others = 0;
  split(
      scalar, [&](std::string_view) { ++others; },
      [&](const Piece& piece) {
        found.names.emplace_back(piece.name);
        if (piece.chooses) ++others;
      });
  found.whole = found.names.size() == 1 && others == 0;
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
    throw StudyError(
        node.at, base::cat(describe(node),
                           " refers to a parameter, expected a fixed value, "
                           "the same in all trials; for the text itself, write $$ in place of $"));
  return *substitute(node, {});
}

}  // namespace hpo::study
