#pragma once
// Everything that the random masks of a training depend on besides the network: content, never the
// position of a unit, the parts of a batch or the segment of a training.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/step_buffer.h"
#include "nn/model/units.h"

namespace nn {

/// The ids of units by group, as kernels read them.
class UnitIds {
 public:
  UnitIds() = default;
  explicit UnitIds(const UnitState& units);

  /// Returns one id a unit of the group, or null for a group that is not listed: its units have the
  /// ids 0, 1, ...
  [[nodiscard]] const std::uint32_t* find(std::string_view group) const;

 private:
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> groups_;
};

/// What is referred to lives until the pass ends.
struct Draws {
  std::uint64_t stream = 0;                 ///< names the training's random numbers
  std::int64_t step = 0;                    ///< counts from 1 at the network's birth
  const std::uint32_t* rows = nullptr;      ///< numbers of the rows in the data; null: 0, 1, ...
  const UnitIds* units = nullptr;           ///< null: 0, 1, ... for every group
  kern::StepBuffer* step_buffer = nullptr;  ///< replaces `step` and `rows` on a device
};

}  // namespace nn
