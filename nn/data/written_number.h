#pragma once
// A number as people write it, taken apart.

#include <optional>
#include <string>
#include <string_view>

#include "nn/data/csv_records.h"

namespace nn {

/// A text cut into what stands around a number and the number itself.
struct Written {
  std::string
      digits;        ///< and separators: spaces of all kinds are ' ', apostrophes of all kinds '\''
  std::string sign;  ///< of currency or percent
  std::string unit;  ///< such as kg, or EUR in front
  bool negative = false;
  bool marked = false;    ///< written (5), 5-, −5, <5 or >5
  bool attached = false;  ///< no blank stands between number and unit
};

/// Nothing for a text without a digit, and for one with two signs, two minuses or words that are no
/// unit.
[[nodiscard]] std::optional<Written> written_number(const CsvField& field);

/// Whether two units are one: days and day, KG and kg. Short ones have to be equal: mV is no MV.
[[nodiscard]] bool is_same_unit(std::string_view a, std::string_view b);

/// Whether a text has a letter of any language: it may be a word then.
[[nodiscard]] bool has_letter(std::string_view text);

}  // namespace nn
