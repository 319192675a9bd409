#pragma once
// What the notes of a data set (Dataset::Header::notes) are about, for a page that sorts them.

#include <cstdint>
#include <string_view>

namespace nn {

/// The beginnings of notes, for those who write and for those who sort them.
namespace heads {

inline constexpr std::string_view kNumbers = "numbers";
inline constexpr std::string_view kCodes =
    "numbers with leading zeros, as in codes (`categories` treats them as categories)";
inline constexpr std::string_view kCategories = "categories, one input for each";
inline constexpr std::string_view kHashed = "more than ";  ///< and the number of categories
inline constexpr std::string_view kDates =
    "dates: the day, and its place in the year and in the week";
inline constexpr std::string_view kMonths = "months: the first day, and its place in the year";
inline constexpr std::string_view kClock = "times of day: the hour, and its place in the day";
inline constexpr std::string_view kLeftOut = "left out, ";
inline constexpr std::string_view kConstant = "the same number in every row, nothing to learn from";
inline constexpr std::string_view kTask = "task: ";
inline constexpr std::string_view kClasses = " classes: ";  ///< behind their number
inline constexpr std::string_view kAlike = "classes that differ in capitals or blanks alone: ";
inline constexpr std::string_view kBalance = " of the rows are ";  ///< behind a share
inline constexpr std::string_view kOneRow = "one row only, so either learnt or tested: ";
inline constexpr std::string_view kUntrained = "no row to train on: ";

}  // namespace heads

/// What a note is about. `table`: its rows, its form, its missing values, and all else.
enum class NoteKind : std::uint8_t { table, inputs, left_out, target };

/// Returns the kind of a note by its beginning.
[[nodiscard]] NoteKind kind_of_note(std::string_view note);

}  // namespace nn
