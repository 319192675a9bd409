#pragma once
// What the units of a network do: statistics of their values and gradients on training rows, for
// policies that decide by them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/model/slab.h"
#include "nn/network/workspace.h"

namespace nn {

/// Most training rows that are looked at.
inline constexpr std::int64_t kStatisticsRows = 1000;

/// Of the units of one group that can be removed (resizable_layers). Encodable.
struct UnitStatistics {
  std::string layer;           ///< the first of the layers that share the units
  std::vector<double> mean;    ///< of each unit's values where they are first read
  std::vector<double> spread;  ///< their standard deviation; of a channel over all its pixels
  /// Mean over chunks of rows of the squared gradient of the loss with respect to a factor 1 on the
  /// unit (Molchanov et al., CVPR 2019). A shrink ranks by the same of more rows as `taylor`.
  std::vector<double> gradient;
  /// Of a dense layer with one right after it: singular values, largest first, of the gradient that
  /// new units would have between what enters the layer and what the next one sums
  /// (nn/reshape/bridge.h). Their squares sum to how fast the loss would fall. Else empty.
  std::vector<double> room;
  bool operator==(const UnitStatistics&) const = default;
};

/// Of every such group, in order; NaN of a network that diverged. `net` and `training`, the
/// training part, lie in the memory of `kernels`; kStatisticsRows of its rows are looked at, chosen
/// by their number alone. The loss of the gradients is cross entropy for classes and mean squared
/// error for numbers. Throws base::Error (study) for data that does not fit the network.
[[nodiscard]] std::vector<UnitStatistics> unit_statistics(const kern::Kernels<float>& kernels,
                                                          Workspace& workspace,
                                                          const ParamSlab& net,
                                                          const DataView& training);

/// How many numbers `room` has at most, of a layer.
[[nodiscard]] std::size_t most_directions(const ModelSpec& spec, const std::string& layer);

/// Counted arithmetic of it for a training part of `rows` rows: passes over the rows, and the
/// eigenvalues.
[[nodiscard]] std::uint64_t unit_statistics_flops(const ModelSpec& spec, std::uint64_t rows);

/// Bytes that it asks its workspace for on the memory of `kernels`, or a few more, beside a table
/// that is fed.
[[nodiscard]] std::size_t unit_statistics_memory(const kern::Kernels<float>& kernels,
                                                 const ModelSpec& spec);

}  // namespace nn
