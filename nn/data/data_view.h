#pragma once
// What training and evaluation need to know about data: plain pointers into a table that somebody
// else owns.

#include <cstdint>
#include <span>
#include <string>

#include "nn/model/shape.h"

namespace nn {

/// A column to predict. Numbers are stored as (number - shift) / unit, fitted on the training part,
/// so that one learning rate suits targets of any unit.
struct TargetColumn {
  std::string name;
  double shift = 0, unit = 1;
  friend bool operator==(const TargetColumn&, const TargetColumn&) = default;
};

/// A table's arrays where the kernels of a device find them (kern::Memory); what they mean is said
/// below.
struct ResidentTable {
  const std::uint8_t* u8 = nullptr;
  const float* f32 = nullptr;
  const float* shift = nullptr;
  const float* scale = nullptr;
  const std::int32_t* labels = nullptr;
  const float* targets = nullptr;
  bool operator==(const ResidentTable&) const = default;
};

/// Some rows of a table. Exactly one of u8 and f32 is set, and exactly one of labels and targets.
/// Pointers are indexed by table row; `rows` lists the rows that belong to this part of the data.
/// All memory outlives the view.
struct DataView {
  Shape shape;                           ///< of one row of the table
  const std::uint8_t* u8 = nullptr;      ///< [table rows, shape.elements()]
  const float* f32 = nullptr;            ///< [table rows, shape.elements()]
  const float* shift = nullptr;          ///< per column; a network sees (value - shift) * scale
  const float* scale = nullptr;          ///< per column
  const std::int32_t* labels = nullptr;  ///< [table rows], 0 <= label < outputs
  const float* targets = nullptr;  ///< [table rows, outputs], as the network is to produce them
  std::span<const TargetColumn> target_columns{};  ///< of numbers: [outputs]
  std::int32_t outputs = 0;                        ///< classes, or numbers to predict
  std::span<const std::uint32_t> rows;
  /// Of a training part: old rows. Every second row of an epoch is one of them, in turn; the second
  /// half of `rows`, whose length is even, stands for them. Empty: all of `rows` are new.
  std::span<const std::uint32_t> replayed{};
  std::span<const std::uint32_t> training{};   ///< rows of the training part, for class weights
  std::span<const std::string> class_names{};  ///< by label; empty where classes have no names
  /// Where kernels read the table, when that is not the program's memory; u8, f32, shift and scale
  /// may be null then.
  const ResidentTable* resident = nullptr;
};

}  // namespace nn
