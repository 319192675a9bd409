#include "nn/data/encode.h"

#include <algorithm>

namespace nn {

namespace {

template <class T>
Encoded encode_number(const FeatureColumn& column, const CsvField& field, std::span<T> inputs) {
  double number = 0;
  switch (read_number(field, number)) {
    case FieldKind::number:
      inputs[0] = static_cast<T>(number);
      return Encoded::value;
    case FieldKind::missing:
      if constexpr (std::is_same_v<T, float>) inputs[0] = column.fill;
      return Encoded::missing;
    default:
      return Encoded::no_number;
  }
}

template <class T>
Encoded encode_category(const FeatureColumn& column, const CsvField& field, std::span<T> inputs) {
  std::ranges::fill(inputs, T{0});
  double ignored = 0;
  if (read_number(field, ignored) == FieldKind::missing) return Encoded::missing;
  const std::string value = field.value();
  const auto at = std::ranges::lower_bound(column.categories, value);
  if (at == column.categories.end() || *at != value) return Encoded::unknown;
  inputs[static_cast<std::size_t>(at - column.categories.begin())] = T{1};
  return Encoded::value;
}

}  // namespace

template <class T>
Encoded encode(const FeatureColumn& column, const CsvField& field, std::span<T> inputs) {
  return column.categories.empty() ? encode_number(column, field, inputs)
                                   : encode_category(column, field, inputs);
}

template Encoded encode(const FeatureColumn&, const CsvField&, std::span<float>);
template Encoded encode(const FeatureColumn&, const CsvField&, std::span<std::uint8_t>);

}  // namespace nn
