#include "nn/data/csv_records.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/ascii.h"
#include "base/utf8.h"
#include "nn/data/data_error.h"

namespace nn {

namespace {

bool is_missing_word(std::string_view s) {
  constexpr std::array<std::string_view, 24> kWords{
      "NA",     "N/A",    "n/a",     "#N/A",    "#NA",   "<NA>",  "NaN",    "nan",
      "NAN",    "-NaN",   "-nan",    "null",    "NULL",  "Null",  "?",      ".",
      "<null>", "(null)", "#DIV/0!", "#VALUE!", "#REF!", "#NUM!", "#NAME?", "#NULL!"};
  return s.empty() || std::find(kWords.begin(), kWords.end(), s) != kWords.end();
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

}  // namespace

std::string_view CsvField::bare() const {
  if (!quoted) return raw;
  const std::size_t first = raw.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : trimmed(raw.substr(first));
}

std::string CsvField::value() const {
  std::string out;
  if (doubled) {
    for (std::size_t i = 0; i < raw.size(); ++i) {
      out += raw[i];
      if (raw[i] == quote) ++i;
    }
  } else {
    out = raw;
  }
  return base::as_utf8(std::move(out));
}

char named_delimiter(std::string_view text) {
  constexpr std::string_view kWord = "sep=";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!text.starts_with(kWord)) return 0;
  text.remove_prefix(kWord.size());
  const bool one = text.size() >= 2 && (text[1] == '\n' || text[1] == '\r');
  constexpr std::string_view kDelimiters = "\t;|,";
  return one && kDelimiters.find(text[0]) != std::string_view::npos ? text[0] : '\0';
}

CsvCursor::CsvCursor(const CsvText& csv, std::size_t line)
    : csv_(csv), text_(csv.text), by_blanks_(csv.delimiter == ' '), line_(line) {
  if (line != 1) return;
  if (text_.starts_with(kByteOrderMark)) at_ = line_start_ = kByteOrderMark.size();
  const std::size_t named = named_delimiter(text_) == 0 ? 0 : 1;
  for (std::size_t i = 0; i < csv.lines + named && at_ < text_.size(); ++i) {
    skip_to_line_end();
    if (at_ < text_.size()) skip_line_end();
  }
}

bool CsvCursor::next(std::vector<CsvField>& fields) {
  for (;;) {
    const std::size_t before = at_;
    skip_blanks();
    if (at_ == text_.size()) return false;
    const bool comment = at_comment();
    if (!at_line_end() && !comment) {
      at_ = before;  // a delimiter may itself be a blank (tab), so the record starts here
      break;
    }
    if (comment) {
      skip_to_line_end();
      ++comments_;
    }
    if (at_ == text_.size()) return false;
    skip_line_end();
  }
  fields.clear();
  record(fields);
  return true;
}

void CsvCursor::record(std::vector<CsvField>& fields) {
  for (;;) {
    fields.push_back(field());
    if (by_blanks_) skip_blanks();
    if (at_ == text_.size()) return;
    if (at_line_end()) {
      skip_line_end();
      return;
    }
    if (!by_blanks_) ++at_;  // the delimiter
  }
}

CsvField CsvCursor::begin_field() const {
  CsvField f;
  f.decimal_comma = csv_.decimal_comma;
  f.line = line_;
  f.column = column();
  return f;
}

void CsvCursor::set_text(CsvField& field, std::string_view raw) const {
  field.raw = raw;
  if (csv_.missing.empty()) return;
  field.missing = std::ranges::find(csv_.missing, field.value()) != csv_.missing.end();
}

CsvField CsvCursor::field() {
  skip_blanks();
  if (at_ < text_.size() && text_[at_] == csv_.quote) return quoted_field();
  CsvField f = begin_field();
  const std::size_t start = at_;
  while (at_ < text_.size() && !at_delimiter() && !at_line_end()) ++at_;
  set_text(f, trimmed(text_.substr(start, at_ - start)));
  return f;
}

CsvField CsvCursor::quoted_field() {
  CsvField f = begin_field();
  f.quoted = true;
  f.quote = csv_.quote;
  const std::size_t start = ++at_;
  for (;;) {
    if (at_ == text_.size()) {
      throw DataError(csv_.path, f.line, f.column, "this quote is never closed");
    }
    if (text_[at_] == csv_.quote) {
      const bool pair = at_ + 1 < text_.size() && text_[at_ + 1] == csv_.quote;
      if (!pair) break;
      f.doubled = true;
      at_ += 2;
    } else if (at_line_end()) {
      skip_line_end();
    } else {
      ++at_;
    }
  }
  set_text(f, text_.substr(start, at_ - start));
  ++at_;
  if (!by_blanks_) skip_blanks();
  if (at_ < text_.size() && !at_line_end() && !at_delimiter()) {
    throw DataError(csv_.path, line_, column(),
                    in_quotes(text_.substr(at_, 1)) + " after a closing quote, expected " +
                        in_quotes({&csv_.delimiter, 1}) +
                        " or the end of the line; a quote within quotes is written twice, " +
                        std::string(2, csv_.quote));
  }
  return f;
}

bool CsvCursor::at_line_end() const { return text_[at_] == '\n' || text_[at_] == '\r'; }

bool CsvCursor::at_delimiter() const {
  return by_blanks_ ? is_blank(text_[at_]) : text_[at_] == csv_.delimiter;
}

bool CsvCursor::at_comment() const {
  return !csv_.comment.empty() && text_.substr(at_).starts_with(csv_.comment);
}

void CsvCursor::skip_to_line_end() {
  while (at_ < text_.size() && !at_line_end()) ++at_;
}

void CsvCursor::skip_line_end() {
  if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
  ++at_;
  ++line_;
  line_start_ = at_;
}

void CsvCursor::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_]) && (by_blanks_ || !at_delimiter())) ++at_;
}

bool is_none_word(std::string_view bare) {
  constexpr std::array<std::string_view, 5> kWords{"None", "none", "NONE", "-", "--"};
  return std::find(kWords.begin(), kWords.end(), bare) != kWords.end();
}

namespace {

/// `s` with a decimal point for its comma, in `buffer`; empty when it is no number of that kind.
std::string_view with_point(std::string_view s, std::array<char, 64>& buffer) {
  const std::size_t comma = s.find(',');
  if (comma == std::string_view::npos && s.find('.') == std::string_view::npos) return s;
  if (s.size() > buffer.size() || comma == std::string_view::npos) return {};
  std::copy(s.begin(), s.end(), buffer.begin());
  buffer[comma] = '.';
  return {buffer.data(), s.size()};
}

}  // namespace

FieldKind read_number(const CsvField& field, double& number) {
  if (field.missing) return FieldKind::missing;
  std::string_view s = field.bare();
  // Most tables hold short whole numbers.
  if (!s.empty() && s.size() <= 9 && std::ranges::all_of(s, base::is_digit)) {
    int value = 0;
    for (const char c : s) value = value * 10 + (c - '0');
    number = value;
    return FieldKind::number;
  }
  if (is_missing_word(s)) return FieldKind::missing;
  std::array<char, 64> buffer;
  if (field.decimal_comma) s = with_point(s, buffer);
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

bool is_missing(const CsvField& field) {
  double ignored = 0;
  return read_number(field, ignored) == FieldKind::missing;
}

}  // namespace nn
