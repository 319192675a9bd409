#pragma once
// Reads JSON (RFC 8259). A value is a view of its text, so that every double and every integer of
// 64 bits comes back exactly. Thread-safe.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace base {

/// Options of the reader.
struct JsonRules {
  Errc kind = Errc::storage;  ///< of the error that a bad text throws
  int depth = 32;             ///< most lists and objects inside one another
  bool utf8 = false;          ///< refuses texts and names that are not UTF-8
  /// Reads NaN, Infinity and -Infinity, as Python writes them, and C's nan, inf and -inf as the
  /// texts "nan", "inf" and "-inf", which number() takes for numbers.
  bool non_finite = false;
};

/// A text is not JSON, or nests too deep. The message has the offset.
class JsonError : public Error {
 public:
  JsonError(Errc kind, const std::string& message, bool too_deep)
      : Error(kind, message), too_deep_(too_deep) {}

  [[nodiscard]] bool too_deep() const noexcept { return too_deep_; }

 private:
  bool too_deep_;
};

/// A parsed JSON value.
class Json {
 public:
  /// Parses one value with blanks around it; a byte order mark before it is skipped. The text must
  /// outlive the result. Throws JsonError for anything else, and for numbers beyond a double.
  [[nodiscard]] static Json parse(std::string_view text, const JsonRules& rules = {});
  /// Does the same, but returns nothing where parse() throws.
  [[nodiscard]] static std::optional<Json> try_parse(std::string_view text,
                                                     const JsonRules& rules = {});

  [[nodiscard]] bool is_null() const { return raw_ == "null"; }
  [[nodiscard]] bool is_object() const { return raw_.starts_with('{'); }
  [[nodiscard]] bool is_list() const { return raw_.starts_with('['); }
  [[nodiscard]] bool is_text() const { return raw_.starts_with('"'); }
  [[nodiscard]] bool is_number() const {
    return raw_.starts_with('-') || (!raw_.empty() && raw_[0] >= '0' && raw_[0] <= '9');
  }

  /// Return the value if it has the type. An integer has neither a point nor an exponent.
  [[nodiscard]] std::optional<bool> as_bool() const;
  [[nodiscard]] std::optional<std::int64_t> as_integer() const;
  [[nodiscard]] std::optional<std::uint64_t> as_unsigned() const;
  [[nodiscard]] std::optional<double> as_number() const;
  [[nodiscard]] std::optional<std::string> as_text() const;

  /// Return the value, or throw Error (storage) if it has another type. A number may stand in
  /// quotes, as "nan", "inf" and "-inf" do.
  [[nodiscard]] double number() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] std::string text() const;

  /// Returns the member of an object, or null. Of equal names the last one counts.
  [[nodiscard]] const Json* find(std::string_view name) const;
  /// Does the same, but throws Error (storage) if there is no such member.
  [[nodiscard]] const Json& at(std::string_view name) const;
  /// Returns a name that two members have, or null.
  [[nodiscard]] const std::string* repeated_name() const;

  /// The members of an object in order; the elements of a list have empty names.
  [[nodiscard]] const std::vector<std::pair<std::string, Json>>& members() const {
    return members_;
  }

  /// The value's own text.
  [[nodiscard]] std::string_view raw() const { return raw_; }

 private:
  friend class JsonParser;
  std::string_view raw_;
  std::vector<std::pair<std::string, Json>> members_;
};

}  // namespace base
