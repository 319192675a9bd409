#pragma once
// Who the units of a network are and since when: what a network keeps once it was reshaped.
//
// A unit's id names it for life: the i-th unit of a new layer is i, later ones get the next free
// number, a removed unit's number is never given again. Random draws hang on ids, so no number of a
// network depends on a position. A birth is the count of optimizer steps (SlabState::steps) when
// something came to be: an optimizer that counts steps counts them from there. Births are kept for
// every axis of every tensor, because a new layer between two old ones has new weights for old
// units; an element is as old as the youngest of its axes' entries.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "nn/model/layout.h"

namespace nn {

struct UnitState {
  struct Group {
    std::string name;
    std::int64_t next = 0;  ///< the id of the next unit to come
    std::vector<std::int64_t> ids;
    auto operator<=>(const Group&) const = default;
  };
  struct Axis {
    std::int32_t tensor = 0;           ///< index into ParamLayout::tensors
    std::int32_t axis = 0;             ///< index into ParamTensor::axes
    std::vector<std::int64_t> births;  ///< one a unit (an axis that repeats them counts once)
    auto operator<=>(const Axis&) const = default;
  };
  std::vector<Group> groups;  ///< as unit_groups() lists them, without "input"
  std::vector<Axis> axes;     ///< every axis with units, tensor by tensor, without those of "input"
  auto operator<=>(const UnitState&) const = default;

  /// The group called `name`, or null (the units of "input" are numbered from 0, for ever).
  [[nodiscard]] const Group* group(std::string_view name) const;
  /// The births along an axis, or null.
  [[nodiscard]] const Axis* axis(std::int32_t tensor, std::int32_t axis) const;
};

/// The state of a network that was never reshaped: ids from 0, everything born at step 0.
[[nodiscard]] UnitState first_units(const ModelSpec& spec);

/// The ids along one axis of a tensor, one a unit: those of its group, or 0, 1, ... for "input" and
/// for axes without units.
[[nodiscard]] std::vector<std::int64_t> ids_along(const UnitState& units, const AxisRole& role);

/// The state as numbers, for a slab's tail and a file: group by group next and ids, then the births
/// axis by axis. The size follows from the spec.
[[nodiscard]] std::size_t unit_words(const ModelSpec& spec);
void write_units(const UnitState& units, std::span<std::int64_t> words);
/// Throws base::Error (data) unless the words can be those of a network with that spec: ids all
/// different and below next, births not negative.
[[nodiscard]] UnitState read_units(const ModelSpec& spec, std::span<const std::int64_t> words);

}  // namespace nn
