#include "nn/data/number_format.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/ascii.h"
#include "base/text.h"
#include "nn/data/spans.h"
#include "nn/data/written_number.h"

namespace nn {

namespace {

/// What may stand between groups of digits, and at the decimals.
struct FormatCandidate {
  char group;  ///< 0: nothing
  char decimal;
};

constexpr std::size_t kDecimalPoint = 0, kDecimalComma = 1, kThousandsComma = 2;
constexpr std::array<FormatCandidate, 8> kCandidates{
    {{0, '.'}, {0, ','}, {',', '.'}, {'.', ','}, {' ', '.'}, {' ', ','}, {'\'', '.'}, {'\'', ','}}};

/// What a candidate makes of the digits: a number that from_chars reads, empty where it does not
/// fit.
struct Read {
  std::string number;
  bool grouped = false;
};

/// Whether this is e5, E-05 and the like.
bool is_exponent(std::string_view text) {
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return false;
  text.remove_prefix(text[1] == '-' || text[1] == '+' ? 2 : 1);
  return !text.empty() && std::ranges::all_of(text, base::is_digit);
}

Read read_as(const std::string& digits, const FormatCandidate& as) {
  Read read;
  std::size_t at = 0, run = 0;
  for (; at < digits.size() && digits[at] != as.decimal; ++at) {
    if (base::is_digit(digits[at])) {
      read.number += digits[at];
      ++run;
    } else if (as.group != 0 && digits[at] == as.group) {
      const bool first = !read.grouped;
      if (first ? run < 1 || run > 3 || digits[0] == '0' : run != 3) return {};
      read.grouped = true;
      run = 0;
    } else if (at > 0 && !read.grouped && is_exponent(std::string_view(digits).substr(at))) {
      read.number += digits.substr(at);
      return read;
    } else {
      return {};
    }
  }
  if (read.grouped && run != 3) return {};
  if (at == digits.size()) return read;
  read.number += '.';
  std::string_view fraction = std::string_view(digits).substr(at + 1);
  const std::size_t exponent = std::min(fraction.find_first_of("eE"), fraction.size());
  const std::string_view power = fraction.substr(exponent);
  if (!power.empty() && (read.grouped || !is_exponent(power))) return {};
  if (!std::ranges::all_of(fraction.substr(0, exponent), base::is_digit)) return {};
  read.number += fraction;
  return read;
}

/// Whether a set of candidates has one.
bool has(unsigned set, std::size_t candidate) { return (set >> candidate & 1U) != 0; }

FormatCandidate candidate_of(const NumberFormat& format) {
  return {format.group.empty() ? '\0' : format.group[0], format.decimal_comma ? ',' : '.'};
}

/// The candidates that fit the digits, and of these those with separators of thousands.
struct Fits {
  unsigned fitting = 0, grouped = 0;
};

Fits fits_of(const std::optional<Written>& written) {
  Fits fits;
  for (std::size_t i = 0; i < kCandidates.size() && written; ++i) {
    const Read read = read_as(written->digits, kCandidates[i]);
    if (read.number.empty()) continue;
    fits.fitting |= 1U << i;
    if (read.grouped) fits.grouped |= 1U << i;
  }
  return fits;
}

/// Whether a field that no format makes a number of, as `fits` says, has no letter either.
bool is_gap(const CsvField& field, const Fits& fits) {
  return fits.fitting == 0 && !has_letter(field.bare()) && !read_span(field.bare());
}

bool fits_format(const Written& written, const NumberFormat& format) {
  if (!written.sign.empty() && written.sign != format.sign) return false;
  return written.unit.empty() || is_same_unit(written.unit, format.unit);
}

FieldKind read_written(const std::optional<Written>& written, const NumberFormat& format,
                       FieldKind plain, double& number) {
  if (!written || !fits_format(*written, format)) return plain;
  const FormatCandidate known = candidate_of(format);
  std::string digits = read_as(written->digits, known).number;
  // So large a number may not have been there.
  if (digits.empty() && format.group.empty() && plain != FieldKind::number)
    digits = read_as(written->digits, {known.decimal == ',' ? '.' : ',', known.decimal}).number;
  const auto value = base::parse_double(digits);
  if (!value) return plain;
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (!(*value <= kLargest)) return FieldKind::too_large;
  number = written->negative ? -*value : *value;
  return FieldKind::number;
}

FieldKind read_span_field(const CsvField& field, double& number) {
  const auto seconds = read_span(field.bare());
  if (!seconds) return FieldKind::text;
  number = *seconds;
  return FieldKind::number;
}

}  // namespace

FieldKind read_number(const CsvField& field, const NumberFormat& format, double& number) {
  const FieldKind plain = read_number(field, number);
  if (format.plain() || plain == FieldKind::missing) return plain;
  if (format.bare() && plain == FieldKind::number) return plain;
  const auto written = written_number(field);
  const FieldKind kind =
      format.span ? read_span_field(field, number) : read_written(written, format, plain, number);
  const bool gap = kind == FieldKind::text && format.gaps && is_gap(field, fits_of(written));
  return gap ? FieldKind::missing : kind;
}

void NumberFormatFinder::Way::miss(const CsvField& field, bool gap, std::size_t file) {
  // A word makes texts of the column, so a message names it rather than a gap above it.
  const bool first_word = !gap && gaps == misfits;
  gaps += gap ? 1 : 0;
  if (misfits++ > 0 && !first_word) return;
  misfit = field;
  misfit_file = file;
}

void NumberFormatFinder::Way::take(const CsvField& field, const Written& written, unsigned fits,
                                   unsigned groups) {
  fitting &= fits;
  grouped |= groups;
  const std::string& digits = written.digits;
  const bool comma = digits.find(',') != std::string::npos;
  commas = commas || comma;
  decimals = decimals || (comma && has(fits, kDecimalComma) && !has(fits, kThousandsComma));
  small = small || (digits.size() <= 3 && std::ranges::all_of(digits, base::is_digit));
  double ignored = 0;
  if (example.raw.empty() && read_number(field, ignored) != FieldKind::number) example = field;
  ++fields;
  with_mark += written.marked ? 1 : 0;
  with_unit += written.unit.empty() ? 0 : 1;
  attached = attached || written.attached;
  if (written.sign.empty()) return;
  ++with_sign;
  sign = written.sign;
}

bool NumberFormatFinder::Way::takes(const Written& written, unsigned fits) const {
  const bool other_sign = !written.sign.empty() && with_sign > 0 && written.sign != sign;
  const bool other_unit = !written.unit.empty() && !is_same_unit(written.unit, unit);
  return !other_sign && !other_unit && (fitting & fits) != 0;
}

bool NumberFormatFinder::Way::has_unit() const {
  return with_unit > 0 && (with_unit == fields || (!attached && 2 * with_unit >= fields));
}

bool NumberFormatFinder::add(const CsvField& field, std::size_t file) {
  const auto written = written_number(field);
  const Fits fits = fits_of(written);
  const bool gap = is_gap(field, fits), span = read_span(field.bare()).has_value();
  if (written && united_.unit.empty() && !written->unit.empty()) {
    united_ = plain_;
    united_.unit = written->unit;
  }
  bool taken = span;
  for (Way* way : {&plain_, &united_}) {
    if (way == &united_ && united_.unit.empty()) continue;
    if (!written || !way->takes(*written, fits.fitting)) {
      way->miss(field, gap, file);
      continue;
    }
    way->take(field, *written, fits.fitting, fits.grouped);
    taken = true;
  }
  if (!span) {
    spans_.miss(field, gap, file);
  } else if (spans_.fields++ == 0) {
    spans_.example = field;
  }
  return taken;
}

const NumberFormatFinder::Way& NumberFormatFinder::best() const {
  const bool units = united_.has_unit() && united_.misfits < plain_.misfits;
  const Way& numbers = units ? united_ : plain_;
  return spans_.fields > 0 && spans_.misfits < numbers.misfits ? spans_ : numbers;
}

std::size_t NumberFormatFinder::misfits() const { return best().misfits; }
bool NumberFormatFinder::misfits_are_gaps() const { return best().gaps == best().misfits; }
const CsvField& NumberFormatFinder::misfit() const { return best().misfit; }
std::size_t NumberFormatFinder::misfit_file() const { return best().misfit_file; }
const CsvField& NumberFormatFinder::example() const { return best().example; }

std::optional<NumberFormat> NumberFormatFinder::Way::found(const CsvText& csv) const {
  if (fields == 0 || (sign == "%" && with_sign < fields)) return {};
  const bool decimal_comma = csv.decimal_comma || (csv.comma_likely && !small);
  const auto told = [&](std::size_t i) {
    if (kCandidates[i].group != 0) return has(grouped, i);
    const bool comma = i == kDecimalComma && (decimals || (decimal_comma && commas));
    return with_sign > 0 || with_unit > 0 || with_mark > 0 || comma;
  };
  for (const char decimal : {decimal_comma ? ',' : '.', decimal_comma ? '.' : ','}) {
    for (std::size_t i = 0; i < kCandidates.size(); ++i) {
      if (kCandidates[i].decimal != decimal || !has(fitting, i) || !told(i)) continue;
      const char group = kCandidates[i].group;
      NumberFormat format{.sign = sign,
                          .group = group == 0 ? std::string() : std::string(1, group),
                          .decimal_comma = decimal == ',',
                          .unit = unit};
      format.marks = with_mark > 0 && format.bare();
      return format;
    }
  }
  return {};
}

std::optional<NumberFormat> NumberFormatFinder::found(const CsvText& csv) const {
  if (&best() == &spans_) return NumberFormat{.sign = {}, .group = {}, .span = true};
  return best().found(csv);
}

bool NumberFormatFinder::are_plain(const CsvText& csv) const {
  return &best() == &plain_ && plain_.fields > 0 &&
         has(plain_.fitting, csv.decimal_comma ? kDecimalComma : kDecimalPoint);
}

}  // namespace nn
