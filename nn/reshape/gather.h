#pragma once
// Gathering a tensor along all its axes at once, with factors.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nn {

/// What becomes of one axis: new index i reads old index source[i] (negative: 0), times factor[i]
/// (no factors: as it is).
struct AxisGather {
  std::vector<std::int32_t> source;
  std::vector<double> factor;
};

/// An axis that stays as it is.
[[nodiscard]] AxisGather whole_axis(std::int32_t length);

/// An axis of `repeat` positions of units, unit fastest, where unit i reads old unit source[i] of
/// old_units.
[[nodiscard]] AxisGather unit_axis(std::span<const std::int32_t> source,
                                   std::span<const double> factor, std::int32_t old_units,
                                   std::int32_t repeat);

/// to[i0, i1, ...] = from[source0[i0], source1[i1], ...] * factor0[i0] * factor1[i1] ...; both
/// row-major, `dims` are those of `from`. A number without a factor is copied bit for bit.
template <class T>
void gather(std::span<const AxisGather> axes, std::span<const std::int32_t> dims, const T* from,
            T* to);

extern template void gather(std::span<const AxisGather>, std::span<const std::int32_t>,
                            const float*, float*);
extern template void gather(std::span<const AxisGather>, std::span<const std::int32_t>,
                            const double*, double*);

}  // namespace nn
