#include "runtime/place/device_model.h"

namespace rt {

double seconds_on(const DeviceModel& device, const Work& work) noexcept {
  return work.flops / device.peak + work.launches * (device.half / device.peak + device.launch) +
         work.bytes / device.bandwidth;
}

double seconds_to_move(const DeviceModel& device, double bytes) noexcept {
  return device.link > 0 ? device.latency + bytes / device.link : 0;
}

}  // namespace rt
