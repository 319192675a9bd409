#pragma once
// A study file as a tree of plain values that know where they stand. No yaml-cpp from here on.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hpo/study/study_error.h"

namespace hpo::study {

struct Entry;

/// One value. Aliases have been replaced by copies of what they stand for; keys are distinct.
struct Node {
  enum class Kind : std::uint8_t { null, scalar, list, map };

  Kind kind = Kind::null;
  Position at;
  std::string text;         ///< of a scalar, quotes and escapes resolved
  bool quoted = false;      ///< a scalar that stands in quotes or as a block: always a string
  bool open_kind = false;   ///< a map whose `type` is a parameter: keys of any kind may stand in it
  std::vector<Node> items;  ///< of a list
  std::vector<Entry> entries;  ///< of a map, in the order of the file

  [[nodiscard]] bool is_null() const { return kind == Kind::null; }
  [[nodiscard]] bool is_scalar() const { return kind == Kind::scalar; }
  [[nodiscard]] bool is_list() const { return kind == Kind::list; }
  [[nodiscard]] bool is_map() const { return kind == Kind::map; }

  /// The value of `key` in a map; null when there is none.
  [[nodiscard]] const Node* find(std::string_view key) const;
  [[nodiscard]] Node* find(std::string_view key);
  [[nodiscard]] const Entry* find_entry(std::string_view key) const;

  /// Follows keys from map to map: find_path({"data", "split", "valid"}).
  [[nodiscard]] const Node* find_path(std::initializer_list<std::string_view> keys) const;
};

struct Entry {
  std::string key;
  Position key_at;
  Node value;
};

/// An unquoted scalar, a string, and a map, made by us at the place of what they stand for.
[[nodiscard]] Node plain_node(std::string text, Position at);
[[nodiscard]] Node string_node(std::string text, Position at);
[[nodiscard]] Node map_node(Position at);

/// True if two trees hold the same values, wherever they stand.
[[nodiscard]] bool same(const Node& a, const Node& b);

/// What the reader of a message sees of a value: `5`, `"abc"`, `a list`, `a map`, `empty`.
[[nodiscard]] std::string describe(const Node& node);

}  // namespace hpo::study
