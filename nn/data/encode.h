#pragma once
// One field of a table as a network's inputs: the same for the data that trains it and for what it
// is to predict later.

#include <cstdint>
#include <span>

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

/// Writes the inputs (column.inputs() of them, not scaled) that `field` stands for. T is float, or
/// std::uint8_t for numbers that are bytes, without missing values, and for texts.
template <class T>
[[nodiscard]] Encoded encode(const FeatureColumn& column, const CsvField& field,
                             std::span<T> inputs);

extern template Encoded encode(const FeatureColumn&, const CsvField&, std::span<float>);
extern template Encoded encode(const FeatureColumn&, const CsvField&, std::span<std::uint8_t>);

}  // namespace nn
