#include "kernels/cpu/regroup.h"

#include <algorithm>
#include <cstring>

namespace kern::cpu {
namespace {

/// Elements of an entry of axis `d` - 1, of the new tensor and of the old one.
struct Steps {
  std::size_t to[RegroupArgs<float>::kMostAxes + 1], from[RegroupArgs<float>::kMostAxes + 1];
};

bool is_whole(const AxisMap& axis) {
  return axis.source == nullptr && axis.factor == nullptr && axis.length == axis.before;
}

void regroup_row(const AxisMap& axis, double factor, const float* x, float* y) {
  for (int i = 0; i < axis.length; ++i) {
    const double scaled = axis.factor == nullptr ? factor : factor * axis.factor[i];
    const std::int32_t source = axis.source == nullptr ? i : axis.source[i];
    const float value = source < 0 ? 0.0F : x[source];
    y[i] =
        source < 0 || scaled == 1 ? value : static_cast<float>(static_cast<double>(value) * scaled);
  }
}

/// Axes from `d` on; `whole` is the first of the last ones that stay as they are.
void regroup_axes(const RegroupArgs<float>& a, const Steps& steps, int d, int whole, double factor,
                  const float* x, float* y) {
  const auto index = static_cast<std::size_t>(d);
  if (d >= whole && factor == 1) {
    std::memcpy(y, x, steps.to[index] * sizeof(float));
    return;
  }
  const AxisMap& axis = a.axis[index];
  if (d + 1 == a.axes) return regroup_row(axis, factor, x, y);
  const std::size_t to = steps.to[index + 1], from = steps.from[index + 1];
  for (int i = 0; i < axis.length; ++i, y += to) {
    const std::int32_t source = axis.source == nullptr ? i : axis.source[i];
    if (source < 0) {
      std::fill_n(y, to, 0.0F);
      continue;
    }
    const double scaled = axis.factor == nullptr ? factor : factor * axis.factor[i];
    regroup_axes(a, steps, d + 1, whole, scaled, x + static_cast<std::size_t>(source) * from, y);
  }
}

}  // namespace

void regroup(Exec&, const RegroupArgs<float>& a) {
  Steps steps{};
  auto d = static_cast<std::size_t>(a.axes);
  for (steps.to[d] = steps.from[d] = 1; d-- > 0;) {
    steps.to[d] = steps.to[d + 1] * static_cast<std::size_t>(a.axis[d].length);
    steps.from[d] = steps.from[d + 1] * static_cast<std::size_t>(a.axis[d].before);
  }
  int whole = a.axes;
  while (whole > 0 && is_whole(a.axis[static_cast<std::size_t>(whole - 1)])) --whole;
  regroup_axes(a, steps, 0, whole, 1, a.x, a.y);
}

}  // namespace kern::cpu
