#include "nn/model/init.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "nn/training/random.h"

namespace nn {
namespace {

/// Splits the position inside a unit's slice into the input unit and everything else (kernel
/// position, pixel), whose numbering does not involve the number of input units.
struct Place {
  std::uint32_t unit = 0, position = 0;
  bool operator==(const Place&) const = default;
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

/// Units of a tensor that are drawn side by side: a cache line of weights.
constexpr std::uint32_t kTogether = 16;

/// Draws `count` units from `first` on, at most kTogether; put(i, u, value) takes element i of the
/// slice of the unit first + u.
template <class Put>
void draw_units(RandomKey key, std::span<const Place> places, float range, std::uint32_t first,
                std::uint32_t count, const Put& put) {
  std::array<std::array<std::uint32_t, 4>, kTogether> blocks{};
  Place last{~0U, 0};
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place wanted{places[i].unit / 4, places[i].position};
    if (wanted != last) {
      for (std::uint32_t u = 0; u < count; ++u)
        blocks[u] = random_block(key, {wanted.unit, wanted.position, first + u, 0});
    }
    last = wanted;
    for (std::uint32_t u = 0; u < count; ++u)
      put(i, u, range * symmetric_unit(blocks[u][places[i].unit % 4]));
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

/// Calls fill(begin, end) for ranges that make up [0, count), whose bounds are multiples of `unit`:
/// side by side where somebody lends workers and the `bytes` of all of them are worth it.
template <class Fill>
void fill_parts(Parallel* parallel, std::size_t count, std::size_t unit, std::size_t bytes,
                const Fill& fill) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const std::size_t units = (count + unit - 1) / unit;
  const std::size_t parts =
      std::clamp(bytes / kPart, std::size_t{1}, std::max<std::size_t>(units, 1));
  if (parallel == nullptr || parts == 1) return fill(std::size_t{0}, count);
  run_parts(*parallel, static_cast<int>(parts), [&](int part, Workspace&) {
    const auto p = static_cast<std::size_t>(part);
    fill(units * p / parts * unit, std::min(count, units * (p + 1) / parts * unit));
  });
}

void draw_tensor(const ParamTensor& tensor, RandomKey key, Parallel* parallel, float* weights) {
  const std::vector<Place> places = places_of(tensor);
  const std::size_t units = tensor.count / places.size(), stride = unit_stride(tensor);
  const float range = half_range(tensor);
  fill_parts(parallel, units, kTogether, tensor.count * sizeof(float),
             [&](std::size_t u, std::size_t end) {
               for (; u < end; u += kTogether) {
                 const auto count =
                     static_cast<std::uint32_t>(std::min<std::size_t>(kTogether, end - u));
                 draw_units(key, places, range, static_cast<std::uint32_t>(u), count,
                            [&](std::size_t i, std::uint32_t v, float value) {
                              weights[(i / stride * units + u + v) * stride + i % stride] = value;
                            });
               }
             });
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
  draw_units(key_of(tensor, layer, seed), places, half_range(tensor),
             static_cast<std::uint32_t>(unit), 1,
             [&](std::size_t i, std::uint32_t, float value) { out[i] = value; });
}

void init_weights(ParamSlab& slab, std::uint64_t seed, Parallel* parallel) {
  const std::span<std::byte> bytes = slab.bytes();
  constexpr std::size_t kPage = 4096;
  fill_parts(parallel, bytes.size(), kPage, bytes.size(), [&](std::size_t begin, std::size_t end) {
    std::ranges::fill(bytes.subspan(begin, end - begin), std::byte{0});
  });
  for (const ParamTensor& tensor : param_layout(slab.spec()).tensors) {
    if (tensor.init == InitRule::ones) {
      std::ranges::fill(slab.weights().subspan(tensor.offset, tensor.count), 1.0F);
    }
    if (!drawn(tensor.init)) continue;
    draw_tensor(tensor, key_of(tensor, slab.spec().layers[std::size_t(tensor.layer)].name, seed),
                parallel, slab.weights().data() + tensor.offset);
  }
}

}  // namespace nn
