#include "runtime/place/device_model.h"

#include <gtest/gtest.h>

namespace rt::inline v0 {
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

TEST(DeviceModel, WorksBesideEachOtherUseWhatOneLeavesIdle) {
  const Work waits{.flops = 1e5, .launches = 4}, streams{.flops = 3e7, .bytes = 2e6};
  DeviceModel shared = kDevice;
  shared.sharers = 8;
  EXPECT_DOUBLE_EQ(seconds_on(shared, waits), seconds_on(kDevice, waits)) << "8 in the time of one";
  EXPECT_DOUBLE_EQ(seconds_on(shared, streams), 8 * seconds_on(kDevice, streams)) << "nothing idle";
  Work far = waits;
  far.streaming.emplace();
  far.streaming->bytes = 1e6;
  EXPECT_DOUBLE_EQ(seconds_streaming(shared, far), 1e-3 + 8e-2) << "they share the link";
}

TEST(DeviceModel, SharersTakeCoresAndEqualPartsOfTheMemory) {
  const Platform platform{.cpu = {.count = 16}, .gpu = {.count = 2, .memory = 8'000}};
  const Platform shared = with_sharers(platform, 4);
  EXPECT_EQ(shared.gpu.sharers, 4);
  EXPECT_EQ(shared.gpu.memory, 2'000U);
  EXPECT_EQ(shared.cpu.count, 10);
  EXPECT_EQ(with_sharers(platform, 1), platform);
  const Platform most = with_sharers(platform, 16);
  EXPECT_EQ(most.gpu.sharers, 8) << "one core is left for everything else";
  EXPECT_EQ(most.cpu.count, 2);
  const Platform alone{.cpu = {.count = 4}};
  EXPECT_EQ(with_sharers(alone, 4), alone);
}

}  // namespace
}  // namespace rt::inline v0
