#pragma once
// Dates in tables.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace nn {

/// In which order a date is written: 2026-11-22, 22.11.2026, 11/22/2026. Days and months have one
/// or two digits, years four; '-', '/' or '.' stands between them. Behind days and months a year
/// may have its last two digits, those of 1969 to 2068, where both signs are the same (and the day
/// and the month have two digits, too, where these are points). Months may be names: 22-Nov-2026,
/// 22 November 2026, November 22, 2026.
enum class DateOrder : std::uint8_t { none, year_first, day_first, month_first };

struct Date {
  double days = 0;  ///< since 1970-01-01 in the proleptic Gregorian calendar, with the time of day
  bool clock = false;       ///< a time of day was written
  bool short_year = false;  ///< the year has two digits
};

/// A date, perhaps with a time of day behind a blank or a T: 14:30, 14:30:05, 14:30:05.25, 2:30 PM,
/// then perhaps Z, UTC, GMT or an offset such as +02:00, +0200 or +02, which is taken off. Nothing
/// for any other text, the 30th of February included.
[[nodiscard]] std::optional<Date> read_date(std::string_view text, DateOrder order);

/// Inputs that a date becomes: days, then sine and cosine of the place in the year and in the week;
/// with a clock two more, for the place in the day.
inline constexpr std::size_t kDateInputs = 5;

}  // namespace nn
