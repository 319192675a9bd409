#include "nn/data/encode.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/hash.h"
#include "nn/data/dates.h"

namespace nn {

namespace {

template <class T>
Encoded encode_missing(const FeatureColumn& column, std::span<T> inputs) {
  if constexpr (std::is_same_v<T, float>) {
    std::ranges::fill(inputs, 0.0F);
    inputs[0] = column.fill;
    if (column.indicator) inputs.back() = 1;
  }
  return Encoded::missing;
}

template <class T>
Encoded encode_number(const FeatureColumn& column, const CsvField& field, std::span<T> inputs) {
  double number = 0;
  const FieldKind kind = read_number(field, column.format, number);
  if (kind == FieldKind::missing || is_none_word(field)) return encode_missing(column, inputs);
  if (kind != FieldKind::number) return Encoded::no_number;
  inputs[0] = static_cast<T>(number - column.offset);
  if (column.indicator) inputs.back() = T{0};
  return Encoded::value;
}

/// Writes sine and cosine of a phase, in [0, 1) of a year, week or day.
void write_phase(double phase, std::span<float> inputs) {
  const double angle = 2 * std::numbers::pi * phase;
  inputs[0] = static_cast<float>(std::sin(angle));
  inputs[1] = static_cast<float>(std::cos(angle));
}

Encoded encode_date(const FeatureColumn& column, const CsvField& field, std::span<float> inputs) {
  if (is_missing(field) || is_none_word(field)) return encode_missing(column, inputs);
  const auto date = read_date(field.bare(), column.date);
  if (!date) return Encoded::no_number;
  const double day = std::floor(date->days);
  constexpr double kDaysOfYear = 365.2425, kDaysOfWeek = 7;
  inputs[0] = static_cast<float>(date->days);
  if (column.date == DateOrder::clock) {
    write_phase(date->days, inputs.subspan(1));
  } else {
    write_phase(date->days / kDaysOfYear - std::floor(date->days / kDaysOfYear), inputs.subspan(1));
    // The first of a month says nothing about its week.
    if (column.date != DateOrder::month)
      write_phase(day / kDaysOfWeek - std::floor(day / kDaysOfWeek), inputs.subspan(3));
    if (column.clock) write_phase(date->days - day, inputs.subspan(5));
  }
  if (column.indicator) inputs.back() = 0;
  return Encoded::value;
}

template <class T>
Encoded encode_hashed(const FeatureColumn& column, const CsvField& field, std::span<T> inputs) {
  std::ranges::fill(inputs, T{0});
  if (is_missing(field)) return Encoded::missing;
  const std::string value = field.value();
  inputs[base::hash64(value) % column.buckets] = T{1};
  return Encoded::value;
}

template <class T>
Encoded encode_category(const FeatureColumn& column, const CsvField& field, std::span<T> inputs) {
  std::ranges::fill(inputs, T{0});
  if (is_missing(field)) return Encoded::missing;
  const auto place = place_of_category(column.categories, field.value());
  if (!place) return Encoded::unknown;
  inputs[*place] = T{1};
  return Encoded::value;
}

}  // namespace

std::optional<std::size_t> place_of_category(const std::vector<std::string>& categories,
                                             std::string text) {
  constexpr std::string_view kFraction = ".0";
  const auto find = [&]() -> std::optional<std::size_t> {
    const auto at = std::ranges::lower_bound(categories, text);
    if (at == categories.end() || *at != text) return std::nullopt;
    return static_cast<std::size_t>(at - categories.begin());
  };
  if (const auto place = find()) return place;
  if (text.ends_with(kFraction))
    text.resize(text.size() - kFraction.size());
  else
    text += kFraction;
  return find();
}

template <class T>
Encoded encode(const FeatureColumn& column, const CsvField& field, std::span<T> inputs) {
  switch (column.kind()) {
    case ColumnKind::categories:
      return encode_category(column, field, inputs);
    case ColumnKind::hashed:
      return encode_hashed(column, field, inputs);
    case ColumnKind::date:
      if constexpr (std::is_same_v<T, float>) return encode_date(column, field, inputs);
      return Encoded::no_number;
    case ColumnKind::number:
      break;
  }
  return encode_number(column, field, inputs);
}

template Encoded encode(const FeatureColumn&, const CsvField&, std::span<float>);
template Encoded encode(const FeatureColumn&, const CsvField&, std::span<std::uint8_t>);

}  // namespace nn
