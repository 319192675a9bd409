#include "base/json_writer.h"

#include <algorithm>
#include <cmath>

#include "base/json_double.h"
#include "base/text.h"
#include "base/utf8.h"

namespace base {

namespace {

bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; }

void append_control(std::string& out, char c, JsonStyle style) {
  static constexpr char kHex[] = "0123456789abcdef";
  static constexpr std::string_view kShort = "\n\t\b\f\r", kLetters = "ntbfr";
  // Events of the log have checksums, and model files are compared by their bytes, so each keeps
  // its spelling of the last three.
  const std::size_t i = kShort.substr(0, style == JsonStyle::spaced ? 2 : 5).find(c);
  if (i != std::string_view::npos) {
    out += {'\\', kLetters[i]};
  } else {
    out += {'\\', 'u', '0', '0', kHex[c >> 4], kHex[c & 15]};
  }
}

void append_quoted(std::string& out, std::string_view text, JsonStyle style) {
  out += '"';
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t run = i;
    while (i < text.size() && is_plain(text[i])) ++i;
    out += text.substr(run, i - run);
    if (i == text.size()) break;
    const char c = text[i];
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (length == 1 && c < 0x20) {
      append_control(out, c, style);
    } else {
      out += text.substr(i, length);
    }
    i += std::max<std::size_t>(length, 1);
  }
  out += '"';
}

}  // namespace

std::string quote_json(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_quoted(out, text, JsonStyle::spaced);
  return out;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  value(name);
  out_ += style_ == JsonStyle::compact ? ":" : ": ";
  last_ = Last::name;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  append_quoted(out_, text, style_);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  if (style_ != JsonStyle::spaced) return raw(json_double(number));
  const std::string text = format_double(number);
  return std::isfinite(number) ? raw(text) : value(std::string_view(text));
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::begin(char bracket) {
  separate();
  out_ += bracket;
  last_ = Last::opening;
  ++depth_;
  return *this;
}

JsonWriter& JsonWriter::end(char bracket) {
  --depth_;
  if (last_ != Last::opening) new_line();
  out_ += bracket;
  last_ = Last::value;
  return *this;
}

void JsonWriter::separate() {
  if (last_ == Last::value) out_ += style_ == JsonStyle::spaced ? ", " : ",";
  if (last_ != Last::name && depth_ > 0) new_line();
  last_ = Last::value;
}

void JsonWriter::new_line() {
  if (style_ != JsonStyle::indented) return;
  out_ += '\n';
  out_.append(2 * static_cast<std::size_t>(depth_), ' ');
}

}  // namespace base
