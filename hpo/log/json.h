#pragma once
// The little JSON that the log and the exports speak. Numbers keep their text, so that every double
// survives exactly; what JSON has no number for is a text: "nan", "inf", "-inf".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpo {

/// Writes one JSON text from front to back. The caller keeps the order of keys and the nesting
/// right.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(std::uint64_t number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(bool truth);
  JsonWriter& null();
  /// A value that is JSON already.
  JsonWriter& raw(std::string_view json);

  template <class T>
  JsonWriter& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }
  template <class T>
  JsonWriter& field(std::string_view name, const T& x) {
    return key(name).value(x);
  }

  [[nodiscard]] std::string text() && { return std::move(out_); }

 private:
  void separate();

  std::string out_;
  bool fresh_ =
      true;  ///< nothing stands in the innermost container yet, or a key waits for its value
};

/// A parsed JSON value. `raw` is a view of the text that was parsed, which must outlive it.
class Json {
 public:
  /// Throws base::Error (storage) with the offset when `text` is not one JSON value, or nests
  /// deeper than 32.
  [[nodiscard]] static Json parse(std::string_view text);

  /// The member of an object; null when there is none.
  [[nodiscard]] const Json* find(std::string_view name) const;
  /// The same, but a missing member throws base::Error (storage).
  [[nodiscard]] const Json& at(std::string_view name) const;

  /// Typed access; a value of another type throws base::Error (storage).
  [[nodiscard]] double number() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool is_null() const { return raw_ == "null"; }

  [[nodiscard]] std::string_view raw() const { return raw_; }
  /// Members of an object in order; elements of an array have empty names.
  [[nodiscard]] const std::vector<std::pair<std::string, Json>>& members() const {
    return members_;
  }

 private:
  friend class JsonParser;
  std::string_view raw_;
  std::vector<std::pair<std::string, Json>> members_;
};

}  // namespace hpo
