#pragma once
// Typed fields of layers, losses and optimizers: what a kind accepts, and the values that a spec
// holds.
//
// The tables of kinds (`layer_kinds()`, `optimizer_kinds()`, `loss_kinds()`) are the single source
// from which a study file's parser, its schema and its reference page are made. Nothing here knows
// about files.

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nn {

/// Numbers that stand beside names of the user's own, such as weights beside classes.
using NumberByName = std::map<std::string, double>;

/// A value in a spec. Integers and reals are kept apart: a real field accepts an integer and stores
/// a double.
using FieldValue = std::variant<bool, std::int64_t, double, std::string, NumberByName>;

/// Values by field name; after `complete` every field of the kind is present.
using Fields = std::map<std::string, FieldValue>;

enum class FieldType : std::uint8_t {
  boolean,
  integer,
  real,
  word,             ///< one of `choices`
  integer_or_word,  ///< an integer in [min, max] or one of `choices`
  number_by_name,   ///< a map from names to numbers in [min, max], or one of `choices`
};

/// One field of a kind.
struct FieldInfo {
  std::string name;
  FieldType type = FieldType::real;
  double min =
      -std::numeric_limits<double>::infinity();  ///< smallest value allowed, of numbers only
  double max = std::numeric_limits<double>::infinity();  ///< largest value allowed, of numbers only
  std::vector<std::string> choices{};
  std::optional<FieldValue>
      value{};                ///< what holds when it is left out; none: the field is required
  std::string doc;            ///< one line for the reference page
  bool min_excluded = false;  ///< the value must be larger than `min`
  bool max_excluded = false;  ///< the value must be smaller than `max`
  bool quiet = false;         ///< a line about a layer names it only where it is not its default
  /// True if a study file may give [[epoch, value], ...] instead (piecewise_curve()).
  bool piecewise = false;
};

/// One kind of layer, loss or optimizer: the word in a study file, what it is, what it takes.
struct KindInfo {
  std::string kind;
  std::string doc;
  std::vector<FieldInfo> fields;  ///< in the order in which they are documented and written

  /// The field called `name`, or null.
  [[nodiscard]] const FieldInfo* field(std::string_view name) const;
};

/// A chosen kind with its fields, e.g. {"adam", {{"lr", 0.001}, ...}}. Encodable.
struct Choice {
  std::string kind;
  Fields fields;
  auto operator<=>(const Choice&) const = default;
};

/// Why `value` is not allowed for `info`, as the end of a sentence ("must be ..., not ..."), or
/// empty when it is.
[[nodiscard]] std::string field_problem(const FieldInfo& info, const FieldValue& value);

/// Checks `fields` against `info`, turns integers into reals where the field is real, and fills in
/// defaults. Throws SpecError(layer, field, "<where>: ...") for unknown, missing and out-of-range
/// fields; an unknown name comes with the nearest known one.
[[nodiscard]] Fields complete(const KindInfo& info, const Fields& fields, std::string_view where,
                              int layer = -1);

/// Typed access to completed fields; the field must exist with that type.
[[nodiscard]] std::int64_t integer(const Fields& fields, std::string_view name);
[[nodiscard]] double real(const Fields& fields, std::string_view name);
[[nodiscard]] const std::string& word(const Fields& fields, std::string_view name);
[[nodiscard]] bool boolean(const Fields& fields, std::string_view name);

/// The value as it stands in a message: `0.5`, `3`, `true`, `relu`.
[[nodiscard]] std::string to_text(const FieldValue& value);

}  // namespace nn
