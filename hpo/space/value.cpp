#include "hpo/space/value.h"

#include <cmath>

#include "base/ascii.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace hpo {

namespace {

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && base::is_digit(text[at])) ++at;
  return at;
}

std::size_t skip_sign(std::string_view text) {
  return !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
}

bool is_decimal_int(std::string_view text) {
  const std::size_t first = skip_sign(text);
  return first < text.size() && skip_digits(text, first) == text.size();
}

/// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool is_decimal_float(std::string_view text) {
  std::size_t at = skip_sign(text);
  const std::size_t whole = at;
  at = skip_digits(text, at);
  const bool has_whole = at > whole;
  if (at < text.size() && text[at] == '.') {
    const std::size_t fraction = at + 1;
    at = skip_digits(text, fraction);
    if (!has_whole && at == fraction) return false;
  } else if (!has_whole) {
    return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const std::size_t exponent = at;
    at = skip_digits(text, at);
    if (at == exponent) return false;
  }
  return at == text.size();
}

/// The base of `0x1F` or `0o17`, 0 for anything else.
int prefixed_base(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') return 0;
  const int base = text[1] == 'x' ? 16 : text[1] == 'o' ? 8 : 0;
  if (base == 0) return 0;
  const std::string_view allowed = base == 16 ? "0123456789abcdefABCDEF" : "01234567";
  return text.substr(2).find_first_not_of(allowed) == std::string_view::npos ? base : 0;
}

std::optional<double> special_float(std::string_view text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return std::nan("");
  const std::size_t sign = skip_sign(text);
  const std::string_view word = text.substr(sign);
  if (word != ".inf" && word != ".Inf" && word != ".INF") return std::nullopt;
  return sign == 1 && text[0] == '-' ? -INFINITY : INFINITY;
}

/// Whether a string can stand without quotes wherever a value can: in a flow map, after `name=`, in
/// a CSV cell.
bool is_bare(std::string_view text) {
  if (text.empty() || !std::holds_alternative<std::string>(read_scalar(text))) return false;
  if (is_oversized_number(text)) return false;
  const auto safe = [](char c) {
    return base::is_letter_or_digit(c) || c == '_' || c == '.' || c == '/' || c == '-' || c == '+';
  };
  for (const char c : text) {
    if (!safe(c)) return false;
  }
  return text[0] != '-' && text[0] != '+';
}

}  // namespace

Scalar read_scalar(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL")
    return std::monostate{};
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  if (is_decimal_int(text)) {
    if (const auto value = base::parse_int(text.substr(text[0] == '+' ? 1 : 0))) return *value;
    return std::string(text);
  }
  if (const int base = prefixed_base(text)) {
    if (const auto value = base::parse_int(text.substr(2), base)) return *value;
    return std::string(text);
  }
  if (is_decimal_float(text)) {
    if (const auto value = base::parse_double(text)) return *value;
    return std::string(text);
  }
  if (const auto value = special_float(text)) return *value;
  return std::string(text);
}

bool is_oversized_number(std::string_view text) {
  const bool number = is_decimal_int(text) || prefixed_base(text) != 0 || is_decimal_float(text);
  return number && std::holds_alternative<std::string>(read_scalar(text));
}

ParamValue parse_value(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    const auto json = base::Json::try_parse(text, {.utf8 = true});
    if (json && json->is_text()) return json->text();
  }
  const Scalar scalar = read_scalar(text);
  if (const auto* value = std::get_if<bool>(&scalar)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&scalar)) return *value;
  if (const auto* value = std::get_if<double>(&scalar)) return *value;
  return std::string(text);
}

namespace {

std::string float_text(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  std::string text = base::format_double(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

std::string text_of(const ParamValue& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return is_bare(*text) ? *text : base::quote_json(*text);
  return plain_text_of(value);
}

std::string json_of(const ParamValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return base::quote_json(*text);
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && !std::isfinite(*number) ? "null" : plain_text_of(value);
}

std::optional<ParamValue> value_from_json(const base::Json& json) {
  if (const auto truth = json.as_bool()) return *truth;
  if (const auto whole = json.as_integer()) return *whole;
  if (json.as_unsigned()) return std::nullopt;
  if (const auto number = json.as_number()) return *number;
  if (auto text = json.as_text()) return std::move(*text);
  return std::nullopt;
}

std::string plain_text_of(const ParamValue& value) {
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value)) return float_text(*number);
  return std::get<std::string>(value);
}

std::string_view type_name(const ParamValue& value) {
  static constexpr std::string_view kNames[] = {"bool", "int", "float", "string"};
  return kNames[value.index()];
}

std::optional<double> number_of(const ParamValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

bool same_value(const ParamValue& a, const ParamValue& b) {
  const auto x = number_of(a), y = number_of(b);
  return x && y ? *x == *y : a == b;
}

}  // namespace hpo
