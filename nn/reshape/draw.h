#pragma once
// Fresh numbers for units that an operation added.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/reshape/net.h"

namespace nn {

/// What one tensor that makes units has for them when they are fresh: drawn as init_weights draws,
/// by (seed, layer, unit id, input unit's id), with the spread for the tensor's present fan-in.
template <class T>
[[nodiscard]] std::vector<T> drawn(const Net<T>& net, const UnitSlice& slice, std::uint64_t seed);

/// Gives units of a group, of which all numbers are 0, fresh incoming weights in every tensor that
/// makes them. What reads them stays 0.
template <class T>
void draw_units(const ReshapeContext<T>& hands, Net<T>& net, const std::string& group,
                std::span<const std::int32_t> units, std::uint64_t seed);

/// Calls f(element) for every element (its index from the start of a copy) of a tensor that lies at
/// `unit` along `axis`, at every position of a flattened image.
template <class F>
void for_each_of_unit(const ParamTensor& tensor, std::int32_t axis, std::int32_t unit, F f) {
  const kern::UnitBlock block = unit_block(tensor, axis);
  for (std::size_t o = 0; o < block.outer; ++o) {
    const std::size_t first =
        tensor.offset + (o * block.units + static_cast<std::size_t>(unit)) * block.inner;
    for (std::size_t i = 0; i < block.inner; ++i) f(first + i);
  }
}

/// The axis of a tensor other than its own that has units, or -1.
[[nodiscard]] std::int32_t input_axis(const ParamTensor& tensor);

extern template std::vector<float> drawn(const Net<float>&, const UnitSlice&, std::uint64_t);
extern template std::vector<double> drawn(const Net<double>&, const UnitSlice&, std::uint64_t);
extern template void draw_units(const ReshapeContext<float>&, Net<float>&, const std::string&,
                                std::span<const std::int32_t>, std::uint64_t);
extern template void draw_units(const ReshapeContext<double>&, Net<double>&, const std::string&,
                                std::span<const std::int32_t>, std::uint64_t);

}  // namespace nn
