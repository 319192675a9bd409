#pragma once
// A JSON value that is put together piece by piece.

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.h"

namespace hpo::study {

/// A JSON value; by default null. Members of objects stay in the order in which they were set.
class JsonTree {
 public:
  JsonTree() = default;
  JsonTree(const char* text) : JsonTree(std::string_view(text)) {}
  JsonTree(const std::string& text) : JsonTree(std::string_view(text)) {}
  JsonTree(std::string_view text);
  template <class T>
  requires std::integral<T> || std::floating_point<T> JsonTree(T value) : scalar_(text_of(value)) {}
  JsonTree(std::initializer_list<std::pair<std::string_view, JsonTree>> members);
  [[nodiscard]] static JsonTree object();
  [[nodiscard]] static JsonTree list(std::vector<JsonTree> elements);

  /// Returns the member of an object; makes one that is missing. Null becomes an object.
  JsonTree& operator[](std::string_view name);
  [[nodiscard]] const std::vector<std::pair<std::string, JsonTree>>& members() const {
    return members_;
  }
  /// Appends an element to a list. Null becomes a list.
  void push_back(JsonTree element);
  void erase(std::string_view name);

  /// Writes the value.
  void write(base::JsonWriter& json) const;

 private:
  enum class Kind : char { scalar, list, object };

  template <class T>
  static std::string text_of(const T& value) {
    base::JsonWriter json(base::JsonStyle::compact);
    json.value(value);
    return std::move(json).text();
  }

  Kind kind_ = Kind::scalar;
  std::string scalar_ = "null";  ///< in JSON
  std::vector<std::pair<std::string, JsonTree>> members_;
};

}  // namespace hpo::study
