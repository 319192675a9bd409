#pragma once
// Neighbouring numbers that a thread reads and writes at once, where they lie as that needs.

#include "kernels/cuda/launch.h"

namespace kern::KERN_ON {

template <class T, int kWide>
struct alignas(sizeof(T) * kWide) Lanes {
  T at[kWide];
};

inline constexpr int kLanes = 4;

/// Whether numbers at `at` and at every kLanes-th after it lie as that needs.
template <class T>
bool in_lanes(const T* at) {
  return reinterpret_cast<std::uintptr_t>(at) % (sizeof(T) * kLanes) == 0;
}

/// kLanes numbers, at once where they are `whole`.
template <class T>
KERN_DEVICE Lanes<T, kLanes> lanes_at(const T* from, bool whole) {
  if (whole) return *reinterpret_cast<const Lanes<T, kLanes>*>(from);
  Lanes<T, kLanes> lanes;
  for (int j = 0; j < kLanes; ++j) lanes.at[j] = from[j];
  return lanes;
}
template <class T>
KERN_DEVICE void put_lanes(T* to, const Lanes<T, kLanes>& lanes, bool whole) {
  if (whole) {
    *reinterpret_cast<Lanes<T, kLanes>*>(to) = lanes;
  } else {
    for (int j = 0; j < kLanes; ++j) to[j] = lanes.at[j];
  }
}

}  // namespace kern::KERN_ON
