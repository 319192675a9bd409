#include "nn/init.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "nn/random.h"

namespace nn {
namespace {

/// Splits the position inside a unit's slice into the input unit and everything else (kernel
/// position, pixel), whose numbering does not involve the number of input units.
struct Place {
  std::uint32_t unit = 0, position = 0;
};

/// The place of one element of a slice.
Place place_of(const ParamTensor& tensor, std::size_t index) {
  Place place;
  std::uint32_t radix = 1;
  for (int axis = static_cast<int>(tensor.dims.size()) - 1; axis >= 0; --axis) {
    if (axis == tensor.out_axis) continue;
    const auto a = static_cast<std::size_t>(axis);
    const auto length = static_cast<std::size_t>(tensor.dims[a]);
    auto along = static_cast<std::uint32_t>(index % length);
    index /= length;
    const AxisRole& role = tensor.axes[a];
    auto positions = static_cast<std::uint32_t>(length);
    if (!role.group.empty()) {
      const auto units = static_cast<std::uint32_t>(role.units);
      place.unit = along % units;
      along /= units;
      positions = static_cast<std::uint32_t>(role.repeat);
    }
    place.position += along * radix;
    radix *= positions;
  }
  return place;
}

std::vector<Place> places_of(const ParamTensor& tensor) {
  const auto units = static_cast<std::size_t>(tensor.dims[std::size_t(tensor.out_axis)]);
  std::vector<Place> places(tensor.count / units);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = place_of(tensor, i);
  return places;
}

bool drawn(InitRule rule) { return rule == InitRule::he || rule == InitRule::glorot; }

float half_range(const ParamTensor& tensor) {
  const std::int64_t fan =
      tensor.init == InitRule::he ? tensor.fan_in : tensor.fan_in + tensor.fan_out;
  return static_cast<float>(std::sqrt(6.0 / static_cast<double>(fan)));
}

RandomKey key_of(const ParamTensor& tensor, std::string_view layer, std::uint64_t seed) {
  const auto role = static_cast<std::uint64_t>(tensor.role);
  return RandomKey{seed}.derive("init").derive(layer).derive(role);
}

void draw_unit(RandomKey key, std::span<const Place> places, float range, std::uint32_t unit,
               float* out) {
  std::array<std::uint32_t, 4> counter{~0U, 0, 0, 0}, block{};
  for (const Place& place : places) {
    const std::array<std::uint32_t, 4> wanted{place.unit / 4, place.position, unit, 0};
    if (wanted != counter) block = random_block(key, wanted);
    counter = wanted;
    *out++ = range * symmetric_unit(block[place.unit % 4]);
  }
}

/// Elements between two neighbours along the axis of the layer's own units.
std::size_t unit_stride(const ParamTensor& tensor) {
  std::size_t stride = 1;
  for (std::size_t a = std::size_t(tensor.out_axis) + 1; a < tensor.dims.size(); ++a) {
    stride *= static_cast<std::size_t>(tensor.dims[a]);
  }
  return stride;
}

}  // namespace

void init_unit(const ParamTensor& tensor, std::string_view layer, std::uint64_t seed,
               std::int64_t unit, std::span<const std::int64_t> inputs, std::span<float> out) {
  if (!drawn(tensor.init)) {
    std::ranges::fill(out, tensor.init == InitRule::ones ? 1.0F : 0.0F);
    return;
  }
  std::vector<Place> places = places_of(tensor);
  for (Place& place : places) {
    if (!inputs.empty()) place.unit = static_cast<std::uint32_t>(inputs[place.unit]);
  }
  draw_unit(key_of(tensor, layer, seed), places, half_range(tensor),
            static_cast<std::uint32_t>(unit), out.data());
}

void init_weights(ParamSlab& slab, std::uint64_t seed) {
  std::ranges::fill(slab.bytes(), std::byte{0});
  std::vector<float> slice;
  for (const ParamTensor& tensor : param_layout(slab.spec()).tensors) {
    if (tensor.init == InitRule::ones) {
      std::ranges::fill(slab.weights().subspan(tensor.offset, tensor.count), 1.0F);
    }
    if (!drawn(tensor.init)) continue;
    const RandomKey key = key_of(tensor, slab.spec().layers[std::size_t(tensor.layer)].name, seed);
    const std::vector<Place> places = places_of(tensor);
    const std::size_t units = tensor.count / places.size(), stride = unit_stride(tensor);
    slice.resize(places.size());
    float* weights = slab.weights().data() + tensor.offset;
    for (std::size_t u = 0; u < units; ++u) {
      draw_unit(key, places, half_range(tensor), static_cast<std::uint32_t>(u), slice.data());
      for (std::size_t i = 0; i < slice.size(); ++i) {
        weights[(i / stride * units + u) * stride + i % stride] = slice[i];
      }
    }
  }
}

}  // namespace nn
