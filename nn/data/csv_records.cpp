#include "nn/data/csv_records.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "nn/data/data_error.h"

namespace nn {

namespace {

/// Length of the UTF-8 sequence that starts at `i`, or 0 when there is none (RFC 3629).
std::size_t utf8_length(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(s[k]); };
  const unsigned char c = byte(i);
  if (c < 0x80) return 1;
  const std::size_t length = c >= 0xc2 && c < 0xe0   ? 2
                             : c >= 0xe0 && c < 0xf0 ? 3
                             : c >= 0xf0 && c < 0xf5 ? 4
                                                     : 0;
  if (length == 0 || i + length > s.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xc0) != 0x80) return 0;
  }
  const unsigned char next = byte(i + 1);
  const bool overlong = (c == 0xe0 && next < 0xa0) || (c == 0xf0 && next < 0x90);
  const bool outside = (c == 0xed && next >= 0xa0) || (c == 0xf4 && next >= 0x90);
  return overlong || outside ? 0 : length;
}

/// The text itself where it is UTF-8; otherwise every byte of it as a Latin-1 character.
std::string as_utf8(std::string text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) break;
    i += length;
  }
  if (i == text.size()) return text;
  std::string out;
  for (const unsigned char c : text) {
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else {
      out += static_cast<char>(0xc0 | c >> 6);
      out += static_cast<char>(0x80 | (c & 0x3f));
    }
  }
  return out;
}

bool is_missing(std::string_view s) {
  constexpr std::array<std::string_view, 12> kWords{"NA",   "N/A",  "NaN",  "nan",  "NAN", "null",
                                                    "NULL", "None", "none", "<NA>", "?",   "Null"};
  return s.empty() || std::find(kWords.begin(), kWords.end(), s) != kWords.end();
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

}  // namespace

std::string CsvField::value() const {
  std::string out;
  if (doubled) {
    for (std::size_t i = 0; i < raw.size(); ++i) {
      out += raw[i];
      if (raw[i] == '"') ++i;
    }
  } else {
    out = raw;
  }
  return as_utf8(std::move(out));
}

CsvCursor::CsvCursor(const CsvText& csv, std::size_t line)
    : csv_(csv), text_(csv.text), line_(line) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (line == 1 && text_.starts_with(kByteOrderMark)) at_ = line_start_ = kByteOrderMark.size();
}

bool CsvCursor::next(std::vector<CsvField>& fields) {
  for (;;) {
    const std::size_t before = at_;
    skip_blanks();
    if (at_ == text_.size()) return false;
    if (!at_line_end()) {
      at_ = before;  // a delimiter may itself be a blank (tab), so the record starts here
      break;
    }
    skip_line_end();
  }
  fields.clear();
  record(fields);
  return true;
}

void CsvCursor::record(std::vector<CsvField>& fields) {
  for (;;) {
    fields.push_back(field());
    if (at_ == text_.size()) return;
    if (at_line_end()) {
      skip_line_end();
      return;
    }
    ++at_;  // the delimiter
  }
}

CsvField CsvCursor::field() {
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == '"') return quoted_field();
  CsvField f;
  f.line = line_;
  f.column = column();
  const std::size_t start = at_;
  while (at_ < text_.size() && text_[at_] != csv_.delimiter && !at_line_end()) ++at_;
  f.raw = trimmed(text_.substr(start, at_ - start));
  return f;
}

CsvField CsvCursor::quoted_field() {
  CsvField f;
  f.quoted = true;
  f.line = line_;
  f.column = column();
  const std::size_t start = ++at_;
  for (;;) {
    if (at_ == text_.size()) {
      throw DataError(csv_.path, f.line, f.column, "this quote is never closed");
    }
    if (text_[at_] == '"') {
      const bool pair = at_ + 1 < text_.size() && text_[at_ + 1] == '"';
      if (!pair) break;
      f.doubled = true;
      at_ += 2;
    } else if (at_line_end()) {
      skip_line_end();
    } else {
      ++at_;
    }
  }
  f.raw = text_.substr(start, at_ - start);
  ++at_;
  skip_blanks();
  if (at_ < text_.size() && !at_line_end() && text_[at_] != csv_.delimiter) {
    throw DataError(csv_.path, line_, column(),
                    in_quotes(text_.substr(at_, 1)) + " after a closing quote, expected " +
                        in_quotes({&csv_.delimiter, 1}) + " or the end of the line");
  }
  return f;
}

bool CsvCursor::at_line_end() const { return text_[at_] == '\n' || text_[at_] == '\r'; }

void CsvCursor::skip_line_end() {
  if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
  ++at_;
  ++line_;
  line_start_ = at_;
}

void CsvCursor::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_]) && text_[at_] != csv_.delimiter) ++at_;
}

FieldKind read_number(const CsvField& field, double& number) {
  std::string_view s = field.raw;
  // Most tables hold short whole numbers.
  if (!s.empty() && s.size() <= 9 &&
      std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    int value = 0;
    for (const char c : s) value = value * 10 + (c - '0');
    number = value;
    return FieldKind::number;
  }
  if (is_missing(s)) return FieldKind::missing;
  if (s.starts_with('+') && s.size() > 1 && s[1] != '-') s.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error == std::errc::invalid_argument || end != s.data() + s.size()) return FieldKind::text;
  // from_chars does not tell too large from too small.
  if (error == std::errc::result_out_of_range) value = std::strtod(std::string(s).c_str(), nullptr);
  if (std::isnan(value)) return FieldKind::missing;
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (!(std::fabs(value) <= kLargest)) return FieldKind::too_large;
  number = value;
  return FieldKind::number;
}

}  // namespace nn
