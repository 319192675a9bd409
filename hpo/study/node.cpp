#include "hpo/study/node.h"

#include <algorithm>
#include <variant>

#include "base/text.h"
#include "hpo/space/value.h"

namespace hpo::study {

namespace {
constexpr std::size_t kLongestMessage = 1500;  ///< bytes
}  // namespace

const Entry* Node::find_entry(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry;
  }
  return nullptr;
}

const Node* Node::find(std::string_view key) const {
  const Entry* entry = find_entry(key);
  return entry != nullptr ? &entry->value : nullptr;
}

Node* Node::find(std::string_view key) {
  for (Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

const Node* Node::find_path(std::initializer_list<std::string_view> keys) const {
  const Node* node = this;
  for (const std::string_view key : keys) {
    node = node->find(key);
    if (node == nullptr) return nullptr;
  }
  return node;
}

Node plain_node(std::string text, Position at) {
  return {.kind = Node::Kind::scalar, .at = at, .text = std::move(text)};
}

Node string_node(std::string text, Position at) {
  Node node = plain_node(std::move(text), at);
  node.quoted = true;
  return node;
}

Node map_node(Position at) { return {.kind = Node::Kind::map, .at = at}; }

bool same(const Node& a, const Node& b) {
  return a.kind == b.kind && a.text == b.text && a.quoted == b.quoted &&
         std::ranges::equal(a.items, b.items, same) &&
         std::ranges::equal(a.entries, b.entries, [](const Entry& x, const Entry& y) {
           return x.key == y.key && same(x.value, y.value);
         });
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "empty";
    case Node::Kind::list:
      return "a list";
    case Node::Kind::map:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  const bool text = node.quoted || std::holds_alternative<std::string>(read_scalar(node.text));
  const std::string shown = base::printable(node.text, 60);
  if (!text || is_oversized_number(node.text)) return shown;
  return base::cat('"', shown, '"');
}

StudyError::StudyError(Position at, std::string_view message)
    : at_(at), message_(base::printable(message, kLongestMessage)) {}

void fail(Position at, std::string_view message) { throw StudyError(at, message); }

}  // namespace hpo::study
