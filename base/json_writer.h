#pragma once
// Writes JSON.

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace base {

enum class JsonStyle : char {
  /// {"a": 1, "b": [0.5, "nan"]}: the log, exports and output for people. A double is written as by
  /// format_double(); one that JSON has no number for is a text, which Json::number() reads.
  spaced,
  /// {"a":1,"b":[0.5,null]}: the metadata of model files. A double is written as by
  /// json_double(), so that it does not read back as an integer.
  compact,
  /// As compact, with one member or element a line, indented by two blanks a level.
  indented
};

/// Returns `text` in quotes, as the spaced style writes it: quotes, backslashes and control
/// characters escaped, invalid UTF-8 replaced by U+FFFD.
[[nodiscard]] std::string quote_json(std::string_view text);

/// Writes one JSON text from front to back. The caller keeps the order of keys and the nesting
/// right.
class JsonWriter {
 public:
  explicit JsonWriter(JsonStyle style = JsonStyle::spaced) : style_(style) {}

  JsonWriter& begin_object() { return begin('{'); }
  JsonWriter& end_object() { return end('}'); }
  JsonWriter& begin_array() { return begin('['); }
  JsonWriter& end_array() { return end(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(double number);
  template <std::integral T>
  JsonWriter& value(T number) {
    if constexpr (std::same_as<T, bool>) {
      return raw(number ? "true" : "false");
    } else {
      return raw(std::to_string(number));
    }
  }
  JsonWriter& null() { return raw("null"); }
  /// Writes a value that is JSON already.
  JsonWriter& raw(std::string_view json);

  template <class T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }
  template <class T>
  JsonWriter& field(std::string_view name, const T& x) {
    return key(name).value(x);
  }
  /// Writes an array of values.
  template <class Range>
  JsonWriter& list(const Range& values) {
    begin_array();
    for (const auto& x : values) value(x);
    return end_array();
  }

  [[nodiscard]] std::string text() && { return std::move(out_); }

 private:
  enum class Last : char { opening, name, value };

  JsonWriter& begin(char bracket);
  JsonWriter& end(char bracket);
  void separate();
  void new_line();

  std::string out_;
  JsonStyle style_;
  Last last_ = Last::opening;
  int depth_ = 0;
};

}  // namespace base
