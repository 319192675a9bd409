#pragma once
// What a CSV file does not say about itself: its delimiter, and whether its first line names
// columns.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/data/csv_records.h"

namespace nn {

/// Records looked at.
inline constexpr std::size_t kSniffRecords = 100;

/// The one that a first line names (named_delimiter), else the first of tab, semicolon, bar and
/// comma that cuts all of the first records into the same number of fields, two or more (the comma
/// comes last: it may be a decimal comma). When none does, the one that cuts the first record into
/// most fields, so that the reader can name the odd line.
[[nodiscard]] char sniff_delimiter(std::string_view text);

/// Whether numbers are written with a comma: only where it is not the delimiter, when the first
/// records hold a number such as 1,5 and none such as 1.5. One such as 1.234 is none, may it be
/// thousands, where a whole column below its first record has decimal commas such as 1,5.
[[nodiscard]] bool sniff_decimal_comma(std::string_view text, char delimiter);

/// `text` with all that it does not say about itself found out; `path` is for messages, `missing`
/// as CsvText has it.
[[nodiscard]] CsvText sniffed(const std::string& path, std::string_view text,
                              std::span<const std::string> missing);

/// Whether the first of these records holds the columns' names: it is one of them when it contains
/// one of `targets` as a word; it is not when it holds a number; it is when some column holds only
/// numbers below it; among texts only, it is when its fields are distinct and none recurs in its
/// column.
[[nodiscard]] bool sniff_header(std::span<const std::vector<CsvField>> records,
                                std::span<const std::string> targets);

/// The first records of a file. Throws DataError as CsvCursor::next does.
[[nodiscard]] std::vector<std::vector<CsvField>> first_records(const CsvText& csv);

}  // namespace nn
