#include "nn/data/dates.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

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
  /// A character that is this one.
  bool sign(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Letters that are this word, in capitals or base::to_lower ones.
  bool word(std::string_view word) {
    if (!std::ranges::equal(letters(), word, {}, base::to_lower, base::to_lower)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// The name of a month.
  bool month(int& number) {
    const std::string_view name = letters();
    number = month_of(name);
    if (number > 0) rest_.remove_prefix(name.size());
    return number > 0;
  }
  bool part(DatePart& part) {
    if (!letters().empty()) {
      part.digits = 0;
      return month(part.number);
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
int year_of_two_digits(int year) { return year + (year < 69 ? 2000 : 1900); }

int whole_year(const DatePart& year) {
  return year.digits == 4 ? year.number : year_of_two_digits(year.number);
}

std::optional<Date> first_of_month(int year, int month, bool short_year = false) {
  // Other numbers of four digits are codes rather than years.
  constexpr int kFirst = 1500, kLast = 2500;
  if (year < kFirst || year > kLast || month < 1 || month > 12) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(1)};
  return Date{.days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count()),
              .short_year = short_year};
}

/// Takes Q4 or 4Q off the front and returns the quarter's first month; 0 where none stands there.
int take_quarter(Scanner& scanner) {
  Scanner rest = scanner;
  int number = 0;
  const bool letter_first = rest.one_of("Qq") != 0;
  if (!rest.digits(1, 1, number) || number < 1 || number > 4) return 0;
  if (!letter_first && rest.one_of("Qq") == 0) return 0;
  scanner = rest;
  return 3 * number - 2;
}

/// 2026-11, 2026M11, 2026-Nov, 2026Q4.
std::optional<Date> read_year_and_month(Scanner scanner) {
  int year = 0, month = 0;
  if (!scanner.digits(4, 4, year)) return std::nullopt;
  const char sign = scanner.one_of("-/. ");
  month = take_quarter(scanner);
  if (month == 0 && (sign == 0 || !scanner.month(month))) {
    const bool letter = scanner.one_of("Mm") != 0;
    // A blank or a point and two digits may be a number.
    if (!letter && sign != '-' && sign != '/') return std::nullopt;
    if (!scanner.digits(1, 2, month)) return std::nullopt;
  }
  return scanner.at_end() ? first_of_month(year, month) : std::nullopt;
}

/// 2026-W07, 2026W07 (ISO 8601): the Monday of the week. Week 1 is that of the fourth of January.
std::optional<Date> read_week(Scanner scanner) {
  int year = 0, week = 0;
  if (!scanner.digits(4, 4, year)) return std::nullopt;
  (void)scanner.sign('-');
  if (scanner.one_of("Ww") == 0 || !scanner.digits(2, 2, week) || !scanner.at_end())
    return std::nullopt;
  const auto in_first_week = first_of_month(year, 1);
  if (!in_first_week || week < 1 || week > 53) return std::nullopt;
  const double fourth = in_first_week->days + 3;
  constexpr int kMonday = 4;  // the first of January 1970 was a Thursday
  const double since_monday = std::fmod(std::fmod(fourth - kMonday, 7) + 7, 7);
  return Date{.days = fourth - since_monday + 7 * (week - 1)};
}

/// 11/2026, Nov 2026, Nov-26, Q4 2026, 4Q2026.
std::optional<Date> read_month_and_year(Scanner scanner) {
  int year = 0, month = 0;
  const bool named = scanner.month(month);
  if (!named) month = take_quarter(scanner);
  const bool quarter = !named && month > 0;
  if (!named && !quarter && !scanner.digits(1, 2, month)) return std::nullopt;
  const char sign = named || quarter ? read_sign(scanner) : scanner.one_of("-/");
  if (sign == '.') (void)scanner.sign(' ');
  const bool apostrophe = named && scanner.sign('\'');
  if (sign == 0 && !quarter && !apostrophe) return std::nullopt;
  Scanner four = scanner;
  if (!apostrophe && four.digits(4, 4, year))
    return four.at_end() ? first_of_month(year, month) : std::nullopt;
  // As spreadsheets write months.
  const bool two = apostrophe || (named && sign == '-');
  if (!two || !scanner.digits(2, 2, year) || !scanner.at_end()) return std::nullopt;
  return first_of_month(year_of_two_digits(year), month, true);
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

/// The rest of 2 PM.
std::optional<double> read_hour(Scanner& scanner, int hour) {
  (void)scanner.sign(' ');
  const bool am = scanner.word("am"), pm = !am && scanner.word("pm");
  if (!(am || pm) || !scanner.at_end() || hour < 1 || hour > 12) return std::nullopt;
  return (hour % 12 + (pm ? 12 : 0)) / 24.0;
}

/// The time of day as a share of it, the offset taken off.
std::optional<double> read_clock(Scanner& scanner) {
  int hour = 0, minute = 0, second = 0;
  double fraction = 0;
  if (!scanner.digits(1, 2, hour)) return std::nullopt;
  if (!scanner.sign(':')) return read_hour(scanner, hour);
  if (!scanner.digits(2, 2, minute)) return std::nullopt;
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

/// A time of day without a date.
std::optional<Date> read_time(Scanner scanner) {
  const auto share = read_clock(scanner);
  if (!share) return std::nullopt;
  return Date{.days = *share - std::floor(*share), .clock = true};
}

}  // namespace

std::optional<Date> read_date(std::string_view text, DateOrder order) {
  Scanner scanner(text);
  if (order == DateOrder::none) return std::nullopt;
  if (order == DateOrder::clock) return read_time(scanner);
  if (order == DateOrder::month) {
    if (const auto date = read_year_and_month(scanner)) return date;
    if (const auto date = read_week(scanner)) return date;
    return read_month_and_year(scanner);
  }
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
