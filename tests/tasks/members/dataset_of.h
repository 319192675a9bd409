#pragma once
// A table of tests as tasks have their data.

#include <algorithm>
#include <cstdint>
#include <string>

#include "nn/data/dataset.h"
#include "tests/nn/nets.h"

namespace nn_test {

/// All rows of the table are in the training part.
inline nn::Dataset dataset_of(const Table& table) {
  nn::Dataset::Header header;
  header.rows = header.train_rows = table.rows.size();
  header.cols = table.shift.size();
  header.input = table.shape;
  for (std::int32_t i = 0; i < table.outputs; ++i)
    header.class_names.push_back(std::string(1, static_cast<char>('a' + i)));
  nn::Dataset data(header);
  std::ranges::copy(table.x, data.mutable_x_f32().begin());
  std::ranges::copy(table.labels, data.mutable_labels().begin());
  std::ranges::copy(table.rows, data.mutable_part(nn::Part::train).begin());
  std::ranges::copy(table.shift, data.mutable_shift().begin());
  std::ranges::copy(table.scale, data.mutable_scale().begin());
  return data;
}

}  // namespace nn_test
