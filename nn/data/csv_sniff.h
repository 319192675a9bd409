#pragma once
// What a CSV file does not say about itself: its delimiter, and the sign before decimals.

#include <cstdint>
#include <functional>
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
/// comes last: it may be a decimal comma). When none does, blanks, where they do and no semicolon,
/// bar or comma is in the first record; else the one that cuts it into most fields, so that the
/// reader can name the odd line, unless one leaves names of the rows (has_row_names). Blanks do not
/// cut a first line that is what `one_field` wants as a whole.
[[nodiscard]] char sniff_delimiter(const CsvText& csv,
                                   const std::function<bool(const CsvField&)>& one_field = {});

/// Whether the first records have as many fields each, two or more; `quoted`: and some field stands
/// in the quotes of `csv`.
[[nodiscard]] bool is_even(const CsvText& csv, bool quoted = false);

/// Sets the delimiter, and single quotes where some field stands in these and the first records
/// are even with them alone, or with these and `csv.quote` is one.
void sniff_marks(CsvText& csv, const std::function<bool(const CsvField&)>& one_field = {});

/// Whether the first records have names of their own that the first line has no field for.
[[nodiscard]] bool sniff_row_names(const CsvText& csv);

/// What the numbers of a table say about the sign before their decimals.
enum class DecimalSign : std::uint8_t {
  open,     ///< nothing
  point,    ///< there are numbers such as 1.5
  comma,    ///< there are numbers such as 1,5 and none such as 1.5
  unclear,  ///< there are numbers such as 1,234: decimals or thousands
};

/// Looks at the first records. A comma that is the delimiter is none of a number. A number such as
/// 1.234 is none with a point, may it be thousands, where a whole column below its first record has
/// decimal commas such as 1,5.
[[nodiscard]] DecimalSign sniff_decimal_sign(const CsvText& csv);

/// `csv`, of which path, text, missing words and what is left out are known, with all that it does
/// not say about itself found out. `decimal_comma` is for a table that does not tell.
[[nodiscard]] CsvText sniffed(CsvText csv, bool decimal_comma = false);

/// Whether a table with this sign has decimal commas, where one that does not tell has them if
/// `else_so`.
[[nodiscard]] constexpr bool has_decimal_comma(DecimalSign sign, bool else_so) {
  return sign == DecimalSign::comma || (sign != DecimalSign::point && else_so);
}

/// The first records of a file, without those below the header that are left out. Throws DataError
/// as CsvCursor::next does.
[[nodiscard]] std::vector<std::vector<CsvField>> first_records(const CsvText& csv);

}  // namespace nn
