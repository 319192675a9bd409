#pragma once
// What operations ask about a spec: where a layer is, which units are whose, who reads them.

#include <cstdint>
#include <string>
#include <vector>

#include "nn/model/layout.h"
#include "nn/model/spec.h"

namespace nn {

/// The index of the layer called `name`; throws SpecError "no layer is called ..." with the nearest
/// name.
[[nodiscard]] std::size_t find_layer(const ModelSpec& spec, const std::string& name);

/// The group of the units that leave layer `index`.
[[nodiscard]] std::string group_after(const ModelSpec& spec, std::size_t index);

/// The group that widening or shrinking `name` changes. Throws SpecError when its units can't
/// change in number: the layer has none of its own, they are the network's outputs or tied to the
/// input or to a flattened image's, or a layer norm mixes them.
[[nodiscard]] std::string resizable_group(const ModelSpec& spec, const std::string& name);

/// Units of a group.
[[nodiscard]] std::int32_t units_of(const ModelSpec& spec, const std::string& group);

/// `spec` with every layer of the group given that many units. Throws SpecError outside
/// [1, the layers' limit].
[[nodiscard]] ModelSpec resized(const ModelSpec& spec, const std::string& group,
                                std::int64_t units);

/// The tensors whose input axis runs along the group: those that read its units.
[[nodiscard]] std::vector<GroupAxis> readers(const ModelSpec& spec, const std::string& group);

/// The tensors whose own axis runs along the group: those that make its units.
[[nodiscard]] std::vector<GroupAxis> makers(const ModelSpec& spec, const std::string& group);

}  // namespace nn
