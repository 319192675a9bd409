#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <set>

#include "base/text.h"
#include "base/utf8.h"

namespace base {

/// Recursive descent over a text; the depth is capped, so hostile input cannot exhaust the stack.
class JsonParser {
 public:
  JsonParser(std::string_view text, const JsonRules& rules) : text_(text), rules_(rules) {}

  Json document() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    Json value = any(0);
    skip_blanks();
    if (at_ != text_.size()) fail("the end");
    return value;
  }

  /// Reads a text of which the first quote is at hand; appends its letters to `out`, if any.
  void string(std::string* out) {
    const std::size_t begin = at_;
    for (++at_;;) {
      const std::size_t run = at_;
      while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
      if (out != nullptr) *out += text_.substr(run, at_ - run);
      if (peek() == '"') break;
      if (at_ == text_.size()) fail("'\"'");
      if (peek() != '\\') fail("an escape in place of a control character");
      escape(out);
    }
    ++at_;
    if (rules_.utf8 && !is_utf8(text_.substr(begin, at_ - begin))) {
      at_ = begin;
      fail("text in UTF-8");
    }
  }

 private:
  [[noreturn]] void fail(std::string_view expected, bool too_deep = false) const {
    throw JsonError(rules_.kind, cat("damaged JSON at byte ", at_, ": expected ", expected),
                    too_deep);
  }

  static bool is_plain(char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
  }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') ++at_;
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    skip_blanks();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  Json any(int depth) {
    skip_blanks();
    Json json;
    const std::size_t begin = at_;
    const char first = peek();
    if (first == '{' || first == '[') {
      if (depth == rules_.depth) fail("less nesting", true);
      members(json, first == '{' ? '}' : ']', depth + 1);
    } else if (first == '"') {
      string(nullptr);
    } else if (!number() && !word(begin)) {
      if (rules_.non_finite && non_finite(begin, json)) return json;
      at_ = begin;
      fail("a value");
    }
    json.raw_ = text_.substr(begin, at_ - begin);
    return json;
  }

  void members(Json& json, char end, int depth) {
    ++at_;
    if (take(end)) return;
    do {
      std::string name;
      if (end == '}') {
        skip_blanks();
        if (peek() != '"') fail("a name");
        string(&name);
        if (!take(':')) fail("':'");
      }
      json.members_.emplace_back(std::move(name), any(depth));
    } while (take(','));
    if (!take(end)) fail(end == '}' ? "'}'" : "']'");
  }

  std::size_t digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ - begin;
  }

  bool number() {
    const std::size_t begin = at_;
    if (peek() == '-') ++at_;
    const bool zero = peek() == '0';
    const std::size_t whole = digits();
    if (whole == 0 || (zero && whole > 1)) return false;
    if (peek() == '.') {
      ++at_;
      if (digits() == 0) return false;
    }
    const bool scaled = peek() == 'e' || peek() == 'E';
    if (scaled) {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (digits() == 0) return false;
    }
    // Without an exponent it takes more than 300 digits to leave the range of a double.
    const std::string_view token = text_.substr(begin, at_ - begin);
    return (!scaled && token.size() <= 300) || parse_double(token).has_value();
  }

  bool word(std::size_t begin) {
    at_ = begin;
    for (const std::string_view known : {"null", "true", "false"}) {
      if (!text_.substr(at_).starts_with(known)) continue;
      at_ += known.size();
      return true;
    }
    return false;
  }

  /// Reads a number that JSON has no word for, up to the next separator.
  bool non_finite(std::size_t begin, Json& json) {
    at_ = std::min(text_.find_first_of(",]} \n\t\r", begin), text_.size());
    const auto x = parse_double(text_.substr(begin, at_ - begin));
    if (!x || std::isfinite(*x)) return false;
    json.raw_ = std::isnan(*x) ? "\"nan\"" : *x > 0 ? "\"inf\"" : "\"-inf\"";
    return true;
  }

  void escape(std::string* out) {
    static constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    ++at_;
    const std::size_t i = kLetters.find(peek());
    const bool is_letter = i != std::string_view::npos;
    if (is_letter) ++at_;
    const std::uint32_t code = is_letter ? static_cast<unsigned char>(kMeant[i]) : code_point();
    if (out != nullptr) append_utf8(*out, code);
  }

  /// Reads an escape behind its backslash; a letter beyond U+FFFF is a pair of surrogates.
  std::uint32_t code_point() {
    const std::uint32_t high = code_unit();
    if (high < 0xD800 || high >= 0xE000) return high;
    if (high >= 0xDC00) fail("a letter");
    if (peek() != '\\') fail("the second half of a letter");
    ++at_;
    const std::uint32_t low = code_unit();
    if (low < 0xDC00 || low >= 0xE000) fail("the second half of a letter");
    return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
  }

  /// Reads the u at hand and its four digits.
  std::uint32_t code_unit() {
    static constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
    std::uint32_t code = 0;
    if (peek() != 'u') fail("an escape");
    ++at_;
    for (int i = 0; i < 4; ++i, ++at_) {
      const std::size_t digit = kDigits.find(peek());
      if (digit == std::string_view::npos) fail("four hexadecimal digits");
      code = code * 16 + static_cast<std::uint32_t>(digit < 16 ? digit : digit - 6);
    }
    return code;
  }

  std::string_view text_;
  JsonRules rules_;
  std::size_t at_ = 0;
};

Json Json::parse(std::string_view text, const JsonRules& rules) {
  return JsonParser(text, rules).document();
}

std::optional<Json> Json::try_parse(std::string_view text, const JsonRules& rules) {
  try {
    return parse(text, rules);
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

std::optional<bool> Json::as_bool() const {
  if (raw_ == "true") return true;
  return raw_ == "false" ? std::optional(false) : std::nullopt;
}

std::optional<std::int64_t> Json::as_integer() const { return parse_int(raw_); }

std::optional<std::uint64_t> Json::as_unsigned() const { return parse_unsigned(raw_); }

std::optional<double> Json::as_number() const {
  return is_number() ? parse_double(raw_) : std::nullopt;
}

std::optional<std::string> Json::as_text() const {
  if (!is_text()) return std::nullopt;
  std::string text;
  JsonParser(raw_, {}).string(&text);
  return text;
}

namespace {

[[noreturn]] void refuse(const Json& json, std::string_view expected) {
  throw Error(Errc::storage,
              cat("damaged JSON: expected ", expected, ", not ", printable(json.raw())));
}

}  // namespace

double Json::number() const {
  std::string_view digits = raw_;
  if (digits.size() > 2 && is_text()) digits = digits.substr(1, digits.size() - 2);
  if (const auto x = parse_double(digits)) return *x;
  refuse(*this, "a number");
}

std::int64_t Json::integer() const {
  if (const auto x = as_integer()) return *x;
  refuse(*this, "an integer");
}

std::string Json::text() const {
  if (auto text = as_text()) return std::move(*text);
  refuse(*this, "a string");
}

const Json* Json::find(std::string_view name) const {
  for (const auto& [known, value] : std::views::reverse(members_)) {
    if (known == name) return &value;
  }
  return nullptr;
}

const Json& Json::at(std::string_view name) const {
  if (const Json* found = find(name)) return *found;
  throw Error(Errc::storage,
              cat("damaged JSON: no \"", printable(name, 64), "\" in ", printable(raw_)));
}

const std::string* Json::repeated_name() const {
  std::set<std::string_view> names;
  for (const auto& [name, value] : members_) {
    if (is_object() && !names.insert(name).second) return &name;
  }
  return nullptr;
}

}  // namespace base
