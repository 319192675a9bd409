#include "nn/data/dates.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/ascii.h"

namespace nn {

namespace {

/// A part of a date: a number, or a month by its name.
struct DatePart {
  int number = 0;
  std::size_t digits = 0;  ///< 0: a name
};

/// 1 for Jan and January; 0 for what is no month.
int month_of(std::string_view name) {
  constexpr std::array<std::string_view, 12> kMonths{
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
  constexpr std::size_t kShort = 3;
  const auto is_called = [&](std::string_view month) {
    const bool size = name.size() == kShort || name.size() == month.size();
    return size && std::ranges::equal(name, month.substr(0, name.size()), {}, base::to_lower);
  };
  const auto found = std::ranges::find_if(kMonths, is_called);
  return found == kMonths.end() ? 0 : static_cast<int>(found - kMonths.begin()) + 1;
}

/// Takes a text apart from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  /// A number of `least` to `most` digits.
  bool digits(std::size_t least, std::size_t most, int& number) {
    std::size_t count = 0;
    number = 0;
    while (count < rest_.size() && count < most && base::is_digit(rest_[count]))
      number = number * 10 + (rest_[count++] - '0');
    rest_.remove_prefix(count);
    return count >= least;
  }
  /// One of these characters; 0 when the next is another one.
  char one_of(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_.front()) == std::string_view::npos) return 0;
    const char found = rest_.front();
    rest_.remove_prefix(1);
    return found;
  }
  /// Letters that are this word, in capitals or base::to_lower ones.
  bool word(std::string_view word) {
    if (!std::ranges::equal(letters(), word, {}, base::to_lower, base::to_lower)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool part(DatePart& part) {
    if (const std::string_view name = letters(); !name.empty()) {
      rest_.remove_prefix(name.size());
      part = {.number = month_of(name), .digits = 0};
      return part.number > 0;
    }
    const std::size_t before = rest_.size();
    if (!digits(1, 4, part.number)) return false;
    part.digits = before - rest_.size();
    return true;
  }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  [[nodiscard]] std::string_view letters() const {
    return rest_.substr(0, static_cast<std::size_t>(
                               std::ranges::find_if_not(rest_, base::is_letter) - rest_.begin()));
  }

  std::string_view rest_;
};

/// Of a date, in the order in which they are written: three parts, the signs between them.
struct DateParts {
  std::array<DatePart, 3> part;
  std::array<char, 2> sign;
};

/// What stands between two parts; a blank after a comma is a blank.
char read_sign(Scanner& scanner) {
  const char sign = scanner.one_of("-/. ,");
  if (sign != ',') return sign;
  scanner.one_of(" ");
  return ' ';
}

std::optional<DateParts> read_parts(Scanner& scanner) {
  DateParts parts;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!scanner.part(parts.part.at(i))) return std::nullopt;
    if (i < 2) parts.sign.at(i) = read_sign(scanner);
    if (i < 2 && parts.sign.at(i) == 0) return std::nullopt;
  }
  return parts;
}

/// As read_date has it, for a month and a day of one or two digits, or a month's name.
bool may_be_short(const DatePart& month, const DatePart& day, const DateParts& parts) {
  if (parts.sign[0] != parts.sign[1]) return false;
  return parts.sign[0] != '.' || (month.digits == 2 && day.digits == 2);
}

/// POSIX has 69 to 99 for 1969 to 1999.
int whole_year(const DatePart& year) {
  if (year.digits == 4) return year.number;
  return year.number + (year.number < 69 ? 2000 : 1900);
}

std::optional<Date> read_day(Scanner& scanner, DateOrder order) {
  const auto parts = read_parts(scanner);
  if (!parts) return std::nullopt;
  const bool year_first = order == DateOrder::year_first;
  const DatePart& year = parts->part[year_first ? 0 : 2];
  const DatePart& month = parts->part[order == DateOrder::month_first ? 0 : 1];
  const DatePart& day = parts->part[year_first ? 2 : order == DateOrder::day_first ? 0 : 1];
  const bool named = month.digits == 0;
  const bool blanks = parts->sign[0] == ' ' || parts->sign[1] == ' ';
  if (month.digits > 2 || day.digits < 1 || day.digits > 2 || (blanks && !named))
    return std::nullopt;
  const bool shorter = year.digits == 2 && !year_first && may_be_short(month, day, *parts);
  if (year.digits != 4 && !shorter) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(whole_year(year)),
                                         std::chrono::month(static_cast<unsigned>(month.number)),
                                         std::chrono::day(static_cast<unsigned>(day.number))};
  if (!date.ok()) return std::nullopt;
  return Date{.days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()),
              .short_year = shorter};
}

/// Seconds that a zone or an offset stands for.
std::optional<int> read_offset(Scanner& scanner) {
  if (scanner.word("z") || scanner.word("utc") || scanner.word("gmt")) return 0;
  const char sign = scanner.one_of("+-");
  int hours = 0, minutes = 0;
  if (sign == 0 || !scanner.digits(2, 2, hours)) return std::nullopt;
  const bool more = scanner.one_of(":") != 0 || !scanner.at_end();
  if (more && !scanner.digits(2, 2, minutes)) return std::nullopt;
  if (hours > 23 || minutes > 59) return std::nullopt;
  return (hours * 60 + minutes) * 60 * (sign == '-' ? -1 : 1);
}

/// What may stand behind a clock, to its end: AM or PM, which changes the hour, and a zone, whose
/// offset in seconds comes back.
std::optional<int> read_suffix(Scanner& scanner, int& hour) {
  if (scanner.at_end()) return 0;
  bool blank = scanner.one_of(" ") != 0;
  const bool am = scanner.word("am"), pm = !am && scanner.word("pm");
  if (am || pm) {
    if (hour < 1 || hour > 12) return std::nullopt;
    hour = hour % 12 + (pm ? 12 : 0);
    if (scanner.at_end()) return 0;
    blank = scanner.one_of(" ") != 0;
  }
  if (blank && scanner.at_end()) return std::nullopt;
  return read_offset(scanner);
}

/// The time of day as a share of it, the offset taken off.
std::optional<double> read_clock(Scanner& scanner) {
  int hour = 0, minute = 0, second = 0;
  double fraction = 0;
  if (!scanner.digits(1, 2, hour) || scanner.one_of(":") == 0 || !scanner.digits(2, 2, minute))
    return std::nullopt;
  if (scanner.one_of(":") != 0) {
    if (!scanner.digits(2, 2, second)) return std::nullopt;
    int digit = 0;
    if (scanner.one_of(".,") != 0) {
      for (double unit = 0.1; scanner.digits(1, 1, digit); unit /= 10) fraction += digit * unit;
    }
  }
  const auto offset = read_suffix(scanner, hour);
  if (!offset || !scanner.at_end() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return ((hour * 60 + minute) * 60 + second + fraction - *offset) / 86400;
}

}  // namespace

std::optional<Date> read_date(std::string_view text, DateOrder order) {
  Scanner scanner(text);
  if (order == DateOrder::none) return std::nullopt;
  auto date = read_day(scanner, order);
  if (!date || scanner.at_end()) return date;
  if (scanner.one_of("T ") == 0) return std::nullopt;
  const auto clock = read_clock(scanner);
  if (!clock) return std::nullopt;
  date->days += *clock;
  date->clock = true;
  return date;
}

}  // namespace nn
