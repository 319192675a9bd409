#include "hpo/study/scalars.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/ascii.h"
#include "base/digits.h"
#include "base/text.h"
#include "hpo/study/hints.h"

namespace hpo::study {

namespace {

struct UnitFactor {
  std::string_view name;
  double factor;
};

constexpr std::array kTimeUnits =
    std::to_array<UnitFactor>({{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 1e-3}});

constexpr std::array kSizeUnits = std::to_array<UnitFactor>({{"TiB", 1099511627776.0},
                                                             {"TB", 1e12},
                                                             {"GiB", 1073741824.0},
                                                             {"GB", 1e9},
                                                             {"MiB", 1048576.0},
                                                             {"MB", 1e6},
                                                             {"KiB", 1024.0},
                                                             {"kB", 1e3},
                                                             {"B", 1}});

/// Takes "12" or "1.5" off the front of `text`; none when there is no number.
std::optional<double> take_number(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto value =
      end > 0 && text[0] != '.' ? base::parse_double(text.substr(0, end)) : std::nullopt;
  if (value) text.remove_prefix(end);
  return value;
}

std::string_view take_letters(std::string_view& text) {
  std::size_t end = 0;
  while (end < text.size() && base::is_letter(text[end])) ++end;
  const std::string_view letters = text.substr(0, end);
  text.remove_prefix(end);
  return letters;
}

bool in_range(const Field& field, double value) {
  if (field.min && !(field.min_excluded ? value > *field.min : value >= *field.min)) return false;
  return !field.max || (field.max_excluded ? value < *field.max : value <= *field.max);
}

/// The path as the hints know it: without the name that a user gave ("parameters.lr.scale").
std::string context_of(const std::string& where) {
  constexpr std::string_view kPrefix = "parameters.";
  const std::size_t last = where.rfind('.');
  if (!where.starts_with(kPrefix) || last < kPrefix.size()) return where;
  return std::string(kPrefix) + where.substr(last + 1);
}

/// "10 minutes" -> "10m": other words for our units; empty where that is no duration either.
std::string corrected_duration(std::string_view text) {
  constexpr std::array kWords =
      std::to_array<std::pair<std::string_view, std::string_view>>({{"days", "d"},
                                                                    {"day", "d"},
                                                                    {"hours", "h"},
                                                                    {"hour", "h"},
                                                                    {"hrs", "h"},
                                                                    {"hr", "h"},
                                                                    {"minutes", "m"},
                                                                    {"minute", "m"},
                                                                    {"mins", "m"},
                                                                    {"min", "m"},
                                                                    {"seconds", "s"},
                                                                    {"second", "s"},
                                                                    {"secs", "s"},
                                                                    {"sec", "s"},
                                                                    {"msec", "ms"}});
  std::string packed, made;
  for (const char c : text) {
    if (c != ' ') packed += base::to_lower(c);
  }
  for (std::string_view rest = packed; !rest.empty();) {
    const std::size_t letters = std::min(rest.find_first_not_of("0123456789."), rest.size());
    made += rest.substr(0, letters);
    rest.remove_prefix(letters);
    const std::string_view word = take_letters(rest);
    if (letters == 0 && word.empty()) return "";
    const auto known = std::ranges::find(kWords, word, [](const auto& pair) { return pair.first; });
    made += known == kWords.end() ? word : known->second;
  }
  return read_duration(made) ? made : "";
}

/// "2 gb", "2g" -> "2GB"; a number alone is meant in megabytes where it is small.
std::string corrected_size(const std::string& text) {
  const Scalar scalar = read_scalar(text);
  if (const auto* number = std::get_if<std::int64_t>(&scalar)) {
    constexpr std::int64_t kBytes = 1'000'000;
    if (*number <= 0) return "";
    return *number < kBytes ? text + "MB" : size_text(static_cast<std::uint64_t>(*number));
  }
  std::string upper;
  for (const char c : text) {
    if (c != ' ') upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  for (const std::string& candidate : {upper, upper + "B"}) {
    if (read_size(candidate)) return candidate;
  }
  return "";
}

/// What one would have to write in place of a scalar that is nearly right.
std::string correction(const Node& node, const Field& field, const std::string& where) {
  if (!node.is_scalar()) return "";
  const std::string& text = node.text;
  if (field.name == "command") {
    std::string words;
    for (const char c : text) words += c == ' ' ? std::string(", ") : std::string(1, c);
    return base::cat("[", base::printable(words, 120), "]");
  }
  if (field.count == Count::list)
    return field.type == Type::kind ? "" : base::cat("[", base::printable(text, 60), "]");
  const bool has_number = std::holds_alternative<std::int64_t>(read_scalar(text));
  if (field.type == Type::boolean) {
    if (text == "yes" || text == "on" || text == "y" || text == "1") return "true";
    if (text == "no" || text == "off" || text == "n" || text == "0") return "false";
  }
  if (field.type == Type::word && std::ranges::count(field.words, "true") == 1) {
    if (text == "yes" || text == "on") return "true";
    if (text == "no" || text == "off") return "false";
  }
  if (field.type == Type::duration) {
    const std::string near = has_number && text[0] != '-' ? text + "s" : corrected_duration(text);
    if (!near.empty() && near != text) return near;
  }
  if (field.type == Type::percent) {
    const auto number = number_of(parse_value(text));
    // A share below 1 is meant as one, not as a hundredth of it.
    return number ? base::cat(base::format_double(*number < 1 ? std::round(*number * 1e8) / 1e6
                                                              : *number),
                              "%")
                  : "";
  }
  if (field.type == Type::size) {
    const std::string near = corrected_size(text);
    if (!near.empty() && near != text) return near;
  }
  if (field.type == Type::integer || field.type == Type::number) {
    std::string digits = text;
    std::erase(digits, '_');
    std::erase(digits, ',');
    if (digits != text && number_of(parse_value(digits))) return digits;
  }
  return suggestion(context_of(where), text, field.words);
}

/// The node as an int; a float without a fraction counts.
std::optional<std::int64_t> whole(const Node& node) {
  if (!node.is_scalar() || node.quoted) return std::nullopt;
  const Scalar scalar = read_scalar(node.text);
  if (const auto* value = std::get_if<std::int64_t>(&scalar)) return *value;
  const auto* value = std::get_if<double>(&scalar);
  if (value == nullptr || *value != std::floor(*value) || std::abs(*value) > 9007199254740992.0)
    return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<double> finite(const Node& node) {
  if (!node.is_scalar() || node.quoted) return std::nullopt;
  const Scalar scalar = read_scalar(node.text);
  if (const auto* value = std::get_if<std::int64_t>(&scalar)) return static_cast<double>(*value);
  const auto* value = std::get_if<double>(&scalar);
  return value != nullptr && std::isfinite(*value) ? std::optional(*value) : std::nullopt;
}

/// The value as a number in the field's unit, and its canonical text; none when it is of another
/// type.
struct Reading {
  double number = 0;
  std::string text;
};

std::optional<Reading> read_numeric(const Node& node, Type type) {
  if (!node.is_scalar()) return std::nullopt;
  if (type == Type::integer) {
    const auto value = whole(node);
    if (value) return Reading{static_cast<double>(*value), std::to_string(*value)};
  } else if (type == Type::number) {
    const auto value = finite(node);
    if (value) return Reading{*value, text_of(*value)};
  } else if (type == Type::duration) {
    const auto value = read_duration(node.text);
    if (value) return Reading{*value, duration_text(*value)};
  } else if (type == Type::size) {
    const auto value = read_size(node.text);
    if (value) return Reading{static_cast<double>(*value), size_text(*value)};
  } else if (type == Type::percent) {
    const auto value = read_percent(node.text);
    if (value) return Reading{*value, base::cat(base::format_double(*value), "%")};
  }
  return std::nullopt;
}

}  // namespace

void fail_unexpected(const Node& node, const std::string& where, const Field& field) {
  const bool quoted_number = node.is_scalar() && node.quoted &&
                             number_of(parse_value(node.text)).has_value() &&
                             (field.type == Type::integer || field.type == Type::number);
  std::string text = base::cat(where, " is ", describe(node));
  if (node.is_scalar() && !node.quoted && is_oversized_number(node.text))
    text += ", which does not fit in 64 bits";
  text += base::cat(", expected ", expected(field), quoted_number ? " without quotes" : "");
  throw StudyError(node.at,
                   text + did_you_mean(quoted_number ? "" : correction(node, field, where)));
}

Node check_scalar(const Node& node, const Field& field, const std::string& where) {
  if (!node.is_scalar()) fail_unexpected(node, where, field);
  if (std::ranges::find(field.words, node.text) != field.words.end())
    return plain_node(node.text, node.at);
  switch (field.type) {
    case Type::boolean:
      if (!node.quoted) {
        const Scalar scalar = read_scalar(node.text);
        if (const bool* value = std::get_if<bool>(&scalar))
          return plain_node(*value ? "true" : "false", node.at);
      }
      break;
    case Type::text:
      return string_node(node.text, node.at);
    case Type::value:
      if (const auto value = as_value(node)) return node_of(*value, node.at);
      break;
    default:
      if (const auto reading = read_numeric(node, field.type);
          reading && in_range(field, reading->number)) {
        return plain_node(reading->text, node.at);
      }
  }
  fail_unexpected(node, where, field);
}

std::int64_t as_integer(const Node& node) { return whole(node).value(); }
double as_number(const Node& node) { return finite(node).value(); }
double as_seconds(const Node& node) { return read_duration(node.text).value(); }
std::uint64_t as_bytes(const Node& node) { return read_size(node.text).value(); }
double as_share(const Node& node) { return read_percent(node.text).value() / 100; }

std::optional<ParamValue> as_value(const Node& node) {
  if (!node.is_scalar()) return std::nullopt;
  if (node.quoted) return node.text;
  if (is_oversized_number(node.text)) return std::nullopt;
  return parse_value(node.text);
}

Node node_of(const ParamValue& value, Position at) {
  if (const auto* text = std::get_if<std::string>(&value)) return string_node(*text, at);
  return plain_node(text_of(value), at);
}

std::optional<double> read_duration(std::string_view text) {
  double total = 0;
  auto last = kTimeUnits.begin();
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    const std::string_view name = take_letters(text);
    const auto unit =
        std::find_if(last, kTimeUnits.end(), [&](const UnitFactor& u) { return u.name == name; });
    if (unit == kTimeUnits.end()) return std::nullopt;
    last = unit + 1;
    total += *number * unit->factor;
  }
  return total;
}

std::optional<std::uint64_t> read_size(std::string_view text) {
  const auto number = take_number(text);
  const auto unit = std::ranges::find(kSizeUnits, text, &UnitFactor::name);
  if (!number || unit == kSizeUnits.end() || *number * unit->factor > 1e18) return std::nullopt;
  return static_cast<std::uint64_t>(std::llround(*number * unit->factor));
}

std::optional<double> read_percent(std::string_view text) {
  const auto number = take_number(text);
  return text == "%" ? number : std::nullopt;
}

std::string duration_text(double seconds) {
  const auto total = static_cast<std::int64_t>(std::llround(seconds * 1000));
  std::int64_t rest = total;
  std::string text;
  for (const UnitFactor& unit : kTimeUnits) {
    const auto step = static_cast<std::int64_t>(std::llround(unit.factor * 1000));
    if (rest / step > 0) text += base::cat(rest / step, unit.name);
    rest %= step;
  }
  return text.empty() ? "0s" : text;
}

std::string size_text(std::uint64_t bytes) {
  for (const UnitFactor& unit : kSizeUnits) {
    const auto factor = static_cast<std::uint64_t>(unit.factor);
    if (bytes >= factor && bytes % factor == 0) return base::cat(bytes / factor, unit.name);
  }
  return "0B";
}

std::string share_text(double share) {
  constexpr int kDigits = 15;  // without the error of the product
  return base::cat(base::format_double(base::rounded_to_digits(share * 100, kDigits)), "%");
}

}  // namespace hpo::study
