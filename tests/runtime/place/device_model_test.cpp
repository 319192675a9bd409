#include "runtime/place/device_model.h"

#include <gtest/gtest.h>

namespace rt {
namespace {

constexpr DeviceModel kDevice{.count = 1,
                              .peak = 1e10,
                              .half = 1e6,
                              .launch = 1e-5,
                              .bandwidth = 1e9,
                              .memory = 1'000'000,
                              .link = 1e8,
                              .latency = 1e-3};

TEST(DeviceModel, AProductOfHalfReachesHalfOfThePeak) {
  DeviceModel device = kDevice;
  device.launch = 0;
  const double seconds = seconds_on(device, {.flops = device.half, .launches = 1});
  EXPECT_DOUBLE_EQ(device.half / seconds, device.peak / 2);
  const double large = 1e6 * device.half;
  EXPECT_GT(large / seconds_on(device, {.flops = large, .launches = 1}), 0.999 * device.peak);
}

TEST(DeviceModel, AddsUpWhatWasCounted) {
  const Work work{.flops = 3e7, .bytes = 2e6, .launches = 4};
  EXPECT_DOUBLE_EQ(seconds_on(kDevice, work), 3e-3 + 4 * (1e-4 + 1e-5) + 2e-3);
  EXPECT_DOUBLE_EQ(seconds_to_move(kDevice, 5e6), 1e-3 + 5e-2);
  DeviceModel main = kDevice;
  main.link = 0;
  EXPECT_EQ(seconds_to_move(main, 5e6), 0);
}

}  // namespace
}  // namespace rt
