#pragma once
// Two dense layers, one right after the other: what new units between them would see and move.
//
// A new unit of weights 0 on one side changes nothing and gets a gradient through the other one.
// That of all new units there could be is one matrix, the mean over rows of dz x^T, x being what
// enters the first layer and dz the gradient with respect to the sums of the second one: its
// singular vectors are the best units to add (GradMax: Evci et al., ICLR 2022).

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "nn/reshape/kind.h"

namespace nn {

/// The layer that makes the units of a group, and the one that reads them.
struct Bridge {
  Bridge(const ModelSpec& spec, const std::string& group);
  std::size_t layer = 0, later = 0;
  bool stands = false;  ///< both are dense, with nothing in between
};

/// A direction of the later layer's sums, [its units], of length 1, and its singular value.
struct Direction {
  std::vector<double> along;
  double strength = 0;
};

/// Those that the gradient asks for, the strongest first; as many as it has.
template <class T>
[[nodiscard]] std::vector<Direction> strongest(const ReshapeJob<T>& job, const Bridge& bridge);

/// Inputs of the first layer, units of the second.
[[nodiscard]] std::pair<std::uint64_t, std::uint64_t> ends_of(const ModelSpec& spec,
                                                              const Bridge& bridge);

/// Counted arithmetic of the gradient between the two on `rows` rows, passes through the network
/// included, and of finding its directions.
[[nodiscard]] std::uint64_t bridge_flops(const ModelSpec& spec, const Bridge& bridge,
                                         std::uint64_t rows);
[[nodiscard]] std::uint64_t direction_flops(const ModelSpec& spec, const Bridge& bridge);

extern template std::vector<Direction> strongest(const ReshapeJob<float>&, const Bridge&);
extern template std::vector<Direction> strongest(const ReshapeJob<double>&, const Bridge&);

}  // namespace nn
