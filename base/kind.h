// What a kind (a layer, an optimizer, a sampler, a stopping rule, a policy...) may be told.
//
// Each kind publishes one KindInfo in its registry (registry.h). A study file's checks, its schema,
// its reference page and its messages are made from these tables, so that a new kind is known
// everywhere from its line in the registry.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace base {

/// Numbers that stand beside names of the user's own, such as weights beside classes.
using NumberByName = std::map<std::string, double>;

/// The value of a field. Integers and reals are kept apart: a real field accepts an integer and
/// stores a double.
using FieldValue = std::variant<bool, std::int64_t, double, std::string, NumberByName>;

enum class FieldType : std::uint8_t {
  boolean,
  integer,
  real,
  word,             ///< one of `choices`
  integer_or_word,  ///< an integer in [min, max] or one of `choices`
  number_by_name,   ///< a map from names to numbers in [min, max], or one of `choices`
};

/// One field of a kind: `startup: 10`.
struct FieldInfo {
  std::string name;
  FieldType type = FieldType::real;
  double min =
      -std::numeric_limits<double>::infinity();  ///< smallest value allowed, of numbers only
  double max = std::numeric_limits<double>::infinity();  ///< largest value allowed, of numbers only
  std::vector<std::string> choices{};
  std::optional<FieldValue>
      value{};                ///< what holds when it is left out; none: the field is required
  std::string unit{};         ///< "trials", "epochs", ...; empty: a plain number
  std::string doc;            ///< one line for the reference page
  bool min_excluded = false;  ///< the value must be larger than `min`
  bool max_excluded = false;  ///< the value must be smaller than `max`
  bool quiet = false;         ///< a line about a layer names it only where it is not its default
  /// True if a study file may give [[epoch, value], ...] instead.
  bool piecewise = false;
};

/// One kind: the word in a study file, what it is, what it takes.
struct KindInfo {
  std::string kind;
  std::string doc;                ///< one line for the reference page
  std::vector<FieldInfo> fields;  ///< in the order in which they are documented and written
  std::string since = "0.1.0";    ///< version that had it first

  /// The field called `name`, or null.
  [[nodiscard]] const FieldInfo* field(std::string_view name) const;
};

/// A field that is an integer of at least `least` and at most `most`.
[[nodiscard]] FieldInfo integer_field(std::string name, std::int64_t otherwise, double least,
                                      std::string unit, std::string doc,
                                      double most = std::numeric_limits<double>::infinity());

/// A field that is true or false.
[[nodiscard]] FieldInfo boolean_field(std::string name, bool otherwise, std::string doc);

}  // namespace base
