#include "runtime/place/device_model.h"

#include <algorithm>

namespace rt::inline v0 {

Platform with_sharers(Platform platform, int sharers) {
  DeviceModel& gpu = platform.gpu;
  if (gpu.count == 0) return platform;
  gpu.sharers = std::clamp(1 + (platform.cpu.count - 1) / gpu.count, 1, std::max(1, sharers));
  gpu.memory /= static_cast<std::uint64_t>(gpu.sharers);
  platform.cpu.count -= gpu.count * (gpu.sharers - 1);
  return platform;
}

NodesModel with_count(NodesModel nodes, int count) {
  if (nodes.count > 0) nodes.losses *= static_cast<double>(count) / nodes.count;
  nodes.count = count;
  return nodes;
}

double seconds_on(const DeviceModel& device, const Work& work) noexcept {
  const double used = work.flops / device.peak + work.bytes / device.bandwidth;
  return std::max(used + work.launches * (device.half / device.peak + device.launch),
                  device.sharers * used);
}

double seconds_to_move(const DeviceModel& device, double bytes) noexcept {
  return device.link > 0 ? device.latency + bytes / device.link : 0;
}

double seconds_streaming(const DeviceModel& device, const Work& work) noexcept {
  const double bytes = work.streaming ? work.streaming->bytes : 0;
  return std::max(seconds_on(device, work), seconds_to_move(device, device.sharers * bytes));
}

}  // namespace rt::inline v0
