#include "hpo/log/json.h"

#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"

namespace hpo {

void JsonWriter::separate() {
  if (!fresh_) out_ += ", ";
  fresh_ = false;
}

JsonWriter& JsonWriter::begin_object() {
  separate();
  out_ += '{';
  fresh_ = true;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  out_ += '}';
  fresh_ = false;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  separate();
  out_ += '[';
  fresh_ = true;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  out_ += ']';
  fresh_ = false;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  value(name);
  out_ += ": ";
  fresh_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  out_ += '"';
  out_ += base::json_escape(text);
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  std::string text = base::format_double(number);
  return std::isfinite(number) ? raw(text) : value(std::string_view(text));
}

JsonWriter& JsonWriter::value(std::int64_t number) { return raw(std::to_string(number)); }
JsonWriter& JsonWriter::value(bool truth) { return raw(truth ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

/// Recursive descent over a text; the depth is capped, so hostile input cannot exhaust the stack.
class JsonParser {
 public:
  explicit JsonParser(std::string_view text) : text_(text) {}

  Json document() {
    Json value = any(0);
    skip_blanks();
    if (at_ != text_.size()) fail("the end");
    return value;
  }

 private:
  static constexpr int kDepth = 32;

  [[noreturn]] void fail(std::string_view expected) const {
    throw base::Error(base::Errc::storage,
                      base::cat("damaged JSON at byte ", at_, ": expected ", expected));
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t'))
      ++at_;
  }

  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    skip_blanks();
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  Json any(int depth) {
    if (depth > kDepth) fail("less nesting");
    skip_blanks();
    Json json;
    std::size_t begin = at_;
    if (peek() == '{') {
      members(json, '}', depth);
    } else if (peek() == '[') {
      members(json, ']', depth);
    } else if (peek() == '"') {
      string();
    } else {
      word();
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
        name = string();
        if (!take(':')) fail("':'");
      }
      json.members_.emplace_back(std::move(name), any(depth + 1));
    } while (take(','));
    if (!take(end)) fail(end == '}' ? "'}'" : "']'");
  }

  std::string string() {
    std::string out;
    for (++at_; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '"') {
        ++at_;
        return out;
      }
      if (c == '\\') {
        escape(out);
      } else {
        out += c;
      }
    }
    fail("'\"'");
  }

  // Our own writer escapes control characters only; others write letters beyond U+FFFF as pairs of
  // surrogates.
  void escape(std::string& out) {
    static constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    ++at_;
    if (std::size_t i = kLetters.find(peek()); peek() != '\0' && i != std::string_view::npos) {
      out += kMeant[i];
      return;
    }
    unsigned code = code_unit();
    const bool high = code >= 0xD800 && code < 0xDC00;
    if (high) {
      if (text_.substr(at_ + 1, 2) != "\\u") fail("the second half of a letter");
      at_ += 2;
      const unsigned low = code_unit();
      if (low < 0xDC00 || low >= 0xE000) fail("the second half of a letter");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xDC00 && code < 0xE000) {
      fail("a letter");
    }
    base::append_utf8(out, code);
  }

  /// The four digits behind the u at hand.
  unsigned code_unit() {
    unsigned code = 0;
    if (peek() != 'u' || at_ + 4 >= text_.size()) fail("an escape");
    for (int i = 0; i < 4; ++i) {
      ++at_;
      std::size_t digit =
          std::string_view("0123456789abcdef").find(static_cast<char>(peek() | 0x20));
      if (digit == std::string_view::npos) fail("four hexadecimal digits");
      code = code * 16 + static_cast<unsigned>(digit);
    }
    return code;
  }

  void word() {
    std::size_t begin = at_;
    while (at_ < text_.size() &&
           std::string_view(",]} \n\t").find(text_[at_]) == std::string_view::npos)
      ++at_;
    std::string_view token = text_.substr(begin, at_ - begin);
    if (token != "null" && token != "true" && token != "false" && !base::parse_double(token)) {
      at_ = begin;
      fail("a value");
    }
  }

  friend class Json;
  std::string_view text_;
  std::size_t at_ = 0;
};

Json Json::parse(std::string_view text) { return JsonParser(text).document(); }

const Json* Json::find(std::string_view name) const {
  for (const auto& [key, value] : members_) {
    if (key == name) return &value;
  }
  return nullptr;
}

const Json& Json::at(std::string_view name) const {
  if (const Json* found = find(name)) return *found;
  throw base::Error(base::Errc::storage, base::cat("damaged JSON: no \"", base::printable(name, 64),
                                                   "\" in ", base::printable(raw_)));
}

double Json::number() const {
  std::string_view digits = raw_;
  if (digits.size() > 2 && digits.front() == '"') digits = digits.substr(1, digits.size() - 2);
  if (auto x = base::parse_double(digits)) return *x;
  throw base::Error(base::Errc::storage,
                    base::cat("damaged JSON: expected a number, not ", base::printable(raw_)));
}

std::int64_t Json::integer() const {
  if (auto x = base::parse_int(raw_)) return *x;
  throw base::Error(base::Errc::storage,
                    base::cat("damaged JSON: expected an integer, not ", base::printable(raw_)));
}

std::string Json::text() const {
  if (raw_.starts_with('"')) return JsonParser(raw_).string();
  throw base::Error(base::Errc::storage,
                    base::cat("damaged JSON: expected a text, not ", base::printable(raw_)));
}

}  // namespace hpo
