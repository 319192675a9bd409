#include "nn/data/dates.h"

#include <chrono>

namespace nn {

namespace {

/// Takes a text apart from its front.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  /// A number of `least` to `most` digits.
  bool digits(std::size_t least, std::size_t most, int& number) {
    std::size_t count = 0;
    number = 0;
    while (count < rest_.size() && count < most && rest_[count] >= '0' && rest_[count] <= '9')
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
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::optional<double> read_day(Scanner& scanner, DateOrder order) {
  int parts[3];
  for (int i = 0; i < 3; ++i) {
    const bool year = i == (order == DateOrder::year_first ? 0 : 2);
    if (!scanner.digits(year ? 4 : 1, year ? 4 : 2, parts[i])) return std::nullopt;
    if (i < 2 && scanner.one_of("-/.") == 0) return std::nullopt;
  }
  const bool year_first = order == DateOrder::year_first;
  const int year = parts[year_first ? 0 : 2];
  const int month = parts[order == DateOrder::month_first ? 0 : 1];
  const int day = parts[year_first ? 2 : order == DateOrder::day_first ? 0 : 1];
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

/// Seconds that an offset such as +02:00 or +0200 stands for; 0 where none is written.
bool read_offset(Scanner& scanner, int& seconds) {
  seconds = 0;
  if (scanner.one_of("Z") != 0) return true;
  const char sign = scanner.one_of("+-");
  if (sign == 0) return true;
  int hours = 0, minutes = 0;
  if (!scanner.digits(2, 2, hours)) return false;
  scanner.one_of(":");
  if (!scanner.digits(2, 2, minutes)) return false;
  seconds = (hours * 60 + minutes) * 60 * (sign == '-' ? -1 : 1);
  return hours < 24 && minutes < 60;
}

/// The time of day as a share of it, the offset taken off.
std::optional<double> read_clock(Scanner& scanner) {
  int hour = 0, minute = 0, second = 0, offset = 0;
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
  if (!read_offset(scanner, offset) || !scanner.at_end()) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return ((hour * 60 + minute) * 60 + second + fraction - offset) / 86400;
}

}  // namespace

std::optional<Date> read_date(std::string_view text, DateOrder order) {
  Scanner scanner(text);
  if (order == DateOrder::none) return std::nullopt;
  const auto day = read_day(scanner, order);
  if (!day) return std::nullopt;
  if (scanner.at_end()) return Date{.days = *day};
  if (scanner.one_of("T ") == 0) return std::nullopt;
  const auto clock = read_clock(scanner);
  if (!clock) return std::nullopt;
  return Date{.days = *day + *clock, .clock = true};
}

}  // namespace nn
