#include "nn/reshape/gather.h"

#include <algorithm>
#include <numeric>

namespace nn {
namespace {

std::size_t product(std::span<const std::int32_t> dims) {
  std::size_t out = 1;
  for (const auto d : dims) out *= static_cast<std::size_t>(d);
  return out;
}

std::size_t length_of(std::span<const AxisGather> axes) {
  std::size_t out = 1;
  for (const AxisGather& axis : axes) out *= axis.source.size();
  return out;
}

template <class T>
void gather_row(const AxisGather& axis, double factor, const T* from, T* to) {
  for (std::size_t i = 0; i < axis.source.size(); ++i) {
    const double scaled = axis.factor.empty() ? factor : factor * axis.factor[i];
    const T value = axis.source[i] < 0 ? T(0) : from[axis.source[i]];
    to[i] = scaled == 1 ? value : static_cast<T>(static_cast<double>(value) * scaled);
  }
}

template <class T>
void gather_scaled(std::span<const AxisGather> axes, std::span<const std::int32_t> dims,
                   double factor, const T* from, T* to) {
  const AxisGather& axis = axes.front();
  if (axes.size() == 1) return gather_row(axis, factor, from, to);
  const std::size_t old_step = product(dims.subspan(1)), step = length_of(axes.subspan(1));
  for (std::size_t i = 0; i < axis.source.size(); ++i, to += step) {
    if (axis.source[i] < 0) {
      std::fill_n(to, step, T(0));
      continue;
    }
    const double scaled = axis.factor.empty() ? factor : factor * axis.factor[i];
    const T* source = from + static_cast<std::size_t>(axis.source[i]) * old_step;
    gather_scaled(axes.subspan(1), dims.subspan(1), scaled, source, to);
  }
}

}  // namespace

AxisGather whole_axis(std::int32_t length) {
  AxisGather out;
  out.source.resize(static_cast<std::size_t>(length));
  std::iota(out.source.begin(), out.source.end(), 0);
  return out;
}

AxisGather unit_axis(std::span<const std::int32_t> source, std::span<const double> factor,
                     std::int32_t old_units, std::int32_t repeat) {
  AxisGather out;
  for (std::int32_t position = 0; position < repeat; ++position) {
    for (const std::int32_t unit : source) {
      out.source.push_back(unit < 0 ? unit : position * old_units + unit);
    }
    out.factor.insert(out.factor.end(), factor.begin(), factor.end());
  }
  return out;
}

template <class T>
void gather(std::span<const AxisGather> axes, std::span<const std::int32_t> dims, const T* from,
            T* to) {
  gather_scaled(axes, dims, 1, from, to);
}

template void gather(std::span<const AxisGather>, std::span<const std::int32_t>, const float*,
                     float*);
template void gather(std::span<const AxisGather>, std::span<const std::int32_t>, const double*,
                     double*);

}  // namespace nn
