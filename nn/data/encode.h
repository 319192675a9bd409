#pragma once
// One field of a table as a network's inputs: the same for the data that trains it and for what it
// is to predict later.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/data/csv_records.h"
#include "nn/data/dataset.h"

namespace nn {

/// What a field was to its column.
enum class Encoded : std::uint8_t {
  value,      ///< a number, a date, or one of the texts
  missing,    ///< nothing: the fill and the indicator of a number or date, no category
  unknown,    ///< a text that is none of the categories: as missing
  no_number,  ///< a text in a column of numbers or dates: `inputs` is not written
};

/// The place of a text among the categories of a column, in sorted order. Whole numbers in a column
/// with gaps are often written with ".0", and are the same categories without.
[[nodiscard]] std::optional<std::size_t> place_of_category(
    const std::vector<std::string>& categories, std::string text);

/// Writes the inputs (column.inputs() of them, not scaled) that `field` stands for. T is float, or
/// std::uint8_t for numbers that are bytes, without missing values, and for texts.
template <class T>
[[nodiscard]] Encoded encode(const FeatureColumn& column, const CsvField& field,
                             std::span<T> inputs);

extern template Encoded encode(const FeatureColumn&, const CsvField&, std::span<float>);
extern template Encoded encode(const FeatureColumn&, const CsvField&, std::span<std::uint8_t>);

}  // namespace nn
