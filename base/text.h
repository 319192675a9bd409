// Small text helpers: building messages, numbers as text, the nearest known word. Thread-safe; no
// locale is ever used.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace base {

/// The shortest decimal text that reads back as the same double. Plain digits for 1e-5 <= |x| <
/// 1e16 ("0.001", "42"), else an exponent without padding ("1e-6", "2.5e+20" is written "2.5e20").
/// "nan", "inf", "-inf"; -0 is "-0".
[[nodiscard]] std::string format_double(double x);

/// Number of bytes for people: "812 B", "1.5 KiB", "3.2 GiB".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

/// A span of time for people: "850 ns", "12.3 us", "4.1 ms", "3.2 s", "2 min 5 s", "1 h 3 min".
[[nodiscard]] std::string format_seconds(double seconds);

/// A number with so many significant digits, as "%.4g" prints it: "0.1235", "1.235e+08".
[[nodiscard]] std::string with_digits(double x, int digits);

/// A number with so many digits behind the point: "0.10".
[[nodiscard]] std::string with_decimals(double x, int decimals);

/// Reads a whole text as a double (decimal or exponent form, "nan", "inf"); nothing when any
/// character is left over.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

/// Reads a whole text as a signed integer, in digits of `base`; nothing when it is not one or does
/// not fit.
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text, int base = 10);

/// The same from 0 on, up to 2^64 - 1; no sign may stand before it.
[[nodiscard]] std::optional<std::uint64_t> parse_unsigned(std::string_view text);

/// Edit distance where an insertion, deletion, substitution or swap of neighbours counts one
/// (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, the first of equals; empty when none is near enough to be meant
/// (more than a third of the word's letters differ, at least one may). Upper and lower case count
/// as equal.
[[nodiscard]] std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean 'lr'?" for the nearest candidate, or "" when there is none: to be put behind a
/// message.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string> candidates);

/// Text made fit for one line of a message: control characters become \n, \t, \x1b, \u009b ...;
/// longer than `limit` is cut with "...".
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 200);

namespace detail {
void append(std::string& to, std::string_view text);
void append(std::string& to, char c);
void append(std::string& to, double x);
void append_int(std::string& to, std::int64_t x);
void append_uint(std::string& to, std::uint64_t x);

template <class T>
void append_any(std::string& to, const T& x) {
  if constexpr (std::same_as<T, bool>) {
    append(to, std::string_view(x ? "true" : "false"));
  } else if constexpr (std::same_as<T, char>) {
    append(to, x);
  } else if constexpr (std::signed_integral<T>) {
    append_int(to, x);
  } else if constexpr (std::unsigned_integral<T>) {
    append_uint(to, x);
  } else if constexpr (std::floating_point<T>) {
    append(to, static_cast<double>(x));
  } else {
    append(to, std::string_view(x));
  }
}
}  // namespace detail

/// Joins texts, characters, numbers and bools into one string: cat("rows: ", 12, ", loss ", 0.5).
template <class... A>
[[nodiscard]] std::string cat(const A&... parts) {
  std::string out;
  (detail::append_any(out, parts), ...);
  return out;
}

}  // namespace base
