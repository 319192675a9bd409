// What counted work takes on a device: for plans, for the choice of a kind of device, and for
// simulated machines.
//
// A product of f FLOPs reaches the share f / (f + half) of a device's peak (the hyperbola of
// Hockney and Jesshope, Parallel Computers, 1981: "half" is their n-half), so it takes (f + half) /
// peak seconds, and a sum of products takes a sum that is linear in what was counted:
//
//   seconds = flops / peak + launches * (half / peak + launch) + bytes / bandwidth
//
// What a work leaves idle of a device, the terms of `launches`, others beside it can use: n equal
// ones at once take as long as one alone, but never less than n times its other terms.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/context.h"
#include "runtime/place/nodes_model.h"
#include "runtime/resources.h"

namespace rt::inline v0 {

/// One kind of device of a machine, and how many there are.
struct DeviceModel {
  int count = 0;
  double peak = 0;           ///< FLOPs a second of one device in products without end
  double half = 0;           ///< FLOPs of a product that reaches half of the peak
  double launch = 0;         ///< seconds to begin one
  double bandwidth = 0;      ///< bytes a second of its own memory
  int sharers = 1;           ///< works that compute beside each other on one
  std::uint64_t memory = 0;  ///< bytes of its own for each of these
  double link = 0;           ///< bytes a second from main memory and back; 0: it is main memory
  double latency = 0;        ///< seconds until the first byte comes
  bool operator==(const DeviceModel&) const = default;
};

/// A machine: its cores and its GPUs (none: count 0). With `nodes`, several such machines.
struct Platform {
  std::string name;
  DeviceModel cpu, gpu;
  NodesModel nodes{};
  RuntimeModel runtime{};
  [[nodiscard]] const DeviceModel& of(Device kind) const noexcept {
    return kind == Device::cpu ? cpu : gpu;
  }
  bool operator==(const Platform&) const = default;
};

/// The machine with up to so many works at once on each GPU, and an equal part of its memory for
/// each: beyond the first they take a core each, and leave one.
[[nodiscard]] Platform with_sharers(Platform platform, int sharers);

/// Expected seconds of `work` on one device, its data being there, beside as many like it as share
/// the device.
[[nodiscard]] double seconds_on(const DeviceModel& device, const Work& work) noexcept;

/// The same of work whose input streams in (Work::streaming), beside what is computed.
[[nodiscard]] double seconds_streaming(const DeviceModel& device, const Work& work) noexcept;

/// Expected seconds to bring `bytes` there.
[[nodiscard]] double seconds_to_move(const DeviceModel& device, double bytes) noexcept;

}  // namespace rt::inline v0
