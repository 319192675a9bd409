#pragma once
// One value of a hyperparameter, and its exact text.
//
// The text of a value is short and loses nothing: parse_value(text_of(v)) == v, type included. The
// same text is valid YAML 1.2 and (for everything but infinities and NaN, which no parameter may
// be) valid JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace base {
class Json;
}

namespace hpo {

/// A hyperparameter's value. Equality is exact: 1 (an int) and 1.0 (a float) differ, as their texts
/// do.
using ParamValue = std::variant<bool, std::int64_t, double, std::string>;

/// What an unquoted YAML 1.2 scalar means under the core schema; monostate is null. `yes`, `no`,
/// `on`, `off` are strings, `010` is ten, `1e-5` is a float, `0x1F` and `0o17` are ints.
using Scalar = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// Reads an unquoted scalar. Never fails: what is no null, bool, int or float is a string. A number
/// too large for its type (an int beyond 64 bits, a float beyond double) is a string too;
/// `is_oversized_number` tells such a case.
[[nodiscard]] Scalar read_scalar(std::string_view text);

/// True when `text` is written as a number of the core schema but does not fit 64 bits.
[[nodiscard]] bool is_oversized_number(std::string_view text);

/// The value that `text` stands for on a command line or in a file: as read_scalar; null and empty
/// give a string. A text in double quotes is the string between them, with JSON's escapes.
[[nodiscard]] ParamValue parse_value(std::string_view text);

/// Shortest text that reads back as the same value. A float always shows a point or an exponent
/// (`1.0`, `1e-05`); a string is left bare where it can only be read as itself, and quoted with
/// JSON's escapes otherwise.
[[nodiscard]] std::string text_of(const ParamValue& value);

/// The value as one JSON token; strings are always quoted and escaped. Non-finite floats give
/// `null`.
[[nodiscard]] std::string json_of(const ParamValue& value);

/// Returns a JSON bool, number or text as a value; nothing for anything else, and for integers that
/// do not fit.
[[nodiscard]] std::optional<ParamValue> value_from_json(const base::Json& json);

/// What a person should read in place of `$name` inside a longer text: a string without quotes.
[[nodiscard]] std::string plain_text_of(const ParamValue& value);

/// "bool", "int", "float" or "string".
[[nodiscard]] std::string_view type_name(const ParamValue& value);

/// The value as a number: ints and floats only.
[[nodiscard]] std::optional<double> number_of(const ParamValue& value);

/// Returns true if two values count as one where a combination compares them: an int and a float
/// that are the same number do.
[[nodiscard]] bool same_value(const ParamValue& a, const ParamValue& b);

}  // namespace hpo
