#pragma once
// Dates in tables.

#include <array>
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
///   month  no day: 2026-11, 2026/11, 2026M11, 11/2026, Nov 2026, 2026-Nov, Nov-26 (of 1969 to
///          2068), a quarter: 2026Q4, 2026-Q4, Q4 2026, 4Q2026, or a week: 2026-W07. The day is
///          the first
///   clock  a time of day alone: 14:30, 14:30:05.25, 2:30 PM, 2 PM
enum class DateOrder : std::uint8_t { none, year_first, day_first, month_first, month, clock };

/// All but `none`.
inline constexpr std::array kDateOrders{DateOrder::year_first, DateOrder::day_first,
                                        DateOrder::month_first, DateOrder::month, DateOrder::clock};

struct Date {
  /// Since 1970-01-01 in the proleptic Gregorian calendar, with the time of day; of a clock alone
  /// from 0 to 1.
  double days = 0;
  bool clock = false;       ///< a time of day was written
  bool short_year = false;  ///< the year has two digits
};

/// A date, perhaps with a time of day behind a blank or a T: 14:30, 14:30:05, 14:30:05.25, 2:30 PM,
/// then perhaps Z, UTC, GMT or an offset such as +02:00, +0200 or +02, which is taken off. Nothing
/// for any other text, the 30th of February included.
[[nodiscard]] std::optional<Date> read_date(std::string_view text, DateOrder order);

/// Inputs that a date becomes: days, then sine and cosine of the place in the year and in the week
/// (of a month in the year alone); with a clock two more, for the place in the day. A clock alone
/// is its place in the day, and sine and cosine of that.
[[nodiscard]] constexpr std::size_t date_inputs(DateOrder order, bool clock) {
  constexpr std::size_t kPhase = 2;
  if (order == DateOrder::month || order == DateOrder::clock) return 1 + kPhase;
  return 1 + (clock ? 3 : 2) * kPhase;
}

}  // namespace nn
