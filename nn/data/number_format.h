#pragma once
// How people write numbers for people: with a currency or percent sign, with separators between the
// thousands.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "nn/data/csv_records.h"

namespace nn {

/// The way in which a whole column writes its numbers; the default is none that needs a word.
struct NumberFormat {
  std::string sign;            ///< '$', '€', '£', '¥' or another currency sign, '%', or empty
  std::string group;           ///< between groups of three digits: ',' '.' ' ' or '\''; or empty
  bool decimal_comma = false;  ///< 1,5 rather than 1.5

  [[nodiscard]] bool plain() const { return sign.empty() && group.empty() && !decimal_comma; }
  friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};

/// As read_number for a field of a column in that format: 12% is 12. The sign may be missing, and a
/// number that is not in the format is taken as read_number takes it.
[[nodiscard]] FieldKind read_number(const CsvField& field, const NumberFormat& format,
                                    double& number);

/// Finds the format in which all fields of a column are written, where it has one.
class NumberFormatFinder {
 public:
  /// Looks at a field that is not missing; false where it is no number in any format that those
  /// before it have: a misfit.
  bool add(const CsvField& field);
  [[nodiscard]] std::size_t misfits() const { return misfits_; }

  /// The format of all fields but the misfits: a percent sign stands in all of them, a currency
  /// sign, a separator of thousands or a decimal comma in at least one. Where commas could be
  /// either, as in 1,234, they are decimal ones if `csv` has such, or is likely to and no field is
  /// a number below 1000 without. Nothing for a column of plain numbers.
  [[nodiscard]] std::optional<NumberFormat> found(const CsvText& csv) const;

 private:
  unsigned fitting_ = ~0U;  ///< of the candidates, those that fit all fields but the misfits
  unsigned grouped_ = 0;    ///< those with a separator of thousands somewhere
  bool commas_ = false;     ///< some field has a comma
  bool decimals_ = false;   ///< some comma is none between thousands
  bool small_ = false;      ///< some field is a number below 1000 without separators
  std::string sign_;
  std::size_t fields_ = 0, signed_ = 0, misfits_ = 0;
};

}  // namespace nn
