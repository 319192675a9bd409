#pragma once
// How people write numbers for people: with a currency or percent sign, with a unit, with
// separators between the thousands, as accountants and laboratories do.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "nn/data/csv_records.h"

namespace nn {

struct Written;

/// The way in which a whole column writes its numbers; the default is none that needs a word. Every
/// way but the default reads (5), 5- and a minus of Unicode as -5, and <5, >5, ≤5 and ≥5 as 5.
struct NumberFormat {
  std::string sign;            ///< '$', '€', '£', '¥' or another currency sign, '%', or empty
  std::string group;           ///< between groups of three digits: ',' '.' ' ' or '\''; or empty
  bool decimal_comma = false;  ///< 1,5 rather than 1.5
  std::string unit = {};       ///< 'kg' of '5 kg', 'EUR' of 'EUR 5'; or empty
  bool marks = false;          ///< nothing else, but some number is written (5), 5-, −5, <5 or >5
  bool span = false;           ///< spans of time (read_span), in seconds
  bool gaps = false;           ///< what is no number and has no letter stands for no value

  [[nodiscard]] bool plain() const { return bare() && !decimal_comma && !gaps; }
  /// Whether its numbers are written as in a column of plain ones, but for the decimal sign.
  [[nodiscard]] bool bare() const {
    return sign.empty() && group.empty() && unit.empty() && !marks && !span;
  }
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
  /// before it have.
  bool add(const CsvField& field, std::size_t file = 0);
  /// Fields that are no numbers in the format that is found.
  [[nodiscard]] std::size_t misfits() const;
  /// Whether each of these is no number in any format either, and has no letter.
  [[nodiscard]] bool misfits_are_gaps() const;
  /// The first of these, and the file that it was added of.
  [[nodiscard]] const CsvField& misfit() const;
  [[nodiscard]] std::size_t misfit_file() const;
  /// The first field that is a number in the format and no plain one.
  [[nodiscard]] const CsvField& example() const;

  /// The format of all fields but the misfits: a percent sign stands in all of them, a unit in all
  /// or, with a blank between, in half of them, a currency sign, a separator of thousands, a
  /// decimal comma or a mark in at least one. Where commas could be either, as in 1,234, they are
  /// decimal ones if `csv` has such, or is likely to and no field is a number below 1000 without.
  /// Nothing for a column of plain numbers.
  [[nodiscard]] std::optional<NumberFormat> found(const CsvText& csv) const;
  /// Whether all fields but the misfits are plain numbers of such a table.
  [[nodiscard]] bool are_plain(const CsvText& csv) const;

 private:
  /// One way to see all fields.
  struct Way {
    unsigned fitting = ~0U;  ///< of the candidates, those that fit all fields but the misfits
    unsigned grouped = 0;    ///< those with a separator of thousands somewhere
    bool commas = false;     ///< some field has a comma
    bool decimals = false;   ///< some comma is none between thousands
    bool small = false;      ///< some field is a number below 1000 without separators
    bool attached = false;   ///< some unit stands directly at its number
    std::string sign, unit;
    std::size_t fields = 0, with_sign = 0, with_unit = 0, with_mark = 0;
    std::size_t misfits = 0, gaps = 0;
    CsvField misfit, example;
    std::size_t misfit_file = 0;

    [[nodiscard]] bool takes(const Written& written, unsigned fits) const;
    void take(const CsvField& field, const Written& written, unsigned fits, unsigned groups);
    void miss(const CsvField& field, bool gap, std::size_t file);
    [[nodiscard]] bool has_unit() const;
    [[nodiscard]] std::optional<NumberFormat> found(const CsvText& csv) const;
  };
  [[nodiscard]] const Way& best() const;

  Way plain_;   ///< a number with a unit is none
  Way united_;  ///< numbers may have the first unit that was met
  Way spans_;   ///< spans of time
};

}  // namespace nn
