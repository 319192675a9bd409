#include "runtime/place/device_model.h"

#include <algorithm>

namespace rt {

double seconds_on(const DeviceModel& device, const Work& work) noexcept {
  return work.flops / device.peak + work.launches * (device.half / device.peak + device.launch) +
         work.bytes / device.bandwidth;
}

double seconds_to_move(const DeviceModel& device, double bytes) noexcept {
  return device.link > 0 ? device.latency + bytes / device.link : 0;
}

double seconds_streaming(const DeviceModel& device, const Work& work) noexcept {
  const double bytes = work.streaming ? work.streaming->bytes : 0;
  return std::max(seconds_on(device, work), seconds_to_move(device, bytes));
}

}  // namespace rt
