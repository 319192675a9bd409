// How many workers share a GPU.

#include "runtime/starpu/sharers.h"

#include <gtest/gtest.h>

namespace rt::inline v0::detail {
namespace {

constexpr std::uint64_t kGiga = std::uint64_t{1} << 30, kReserve = kGiga / 8;

int fit(int wanted, int cores, int gpus, std::uint64_t free) {
  return sharers_that_fit(
      {.wanted = wanted, .cores = cores, .gpus = gpus, .free = free, .reserve = kReserve});
}

TEST(Sharers, AsManyAsAreWantedWhereThereIsRoom) {
  EXPECT_EQ(fit(8, 64, 1, 80 * kGiga), 8);
  EXPECT_EQ(fit(16, 64, 1, 80 * kGiga), 16);
  EXPECT_EQ(fit(1, 64, 1, 80 * kGiga), 1);
}

TEST(Sharers, EachHasACoreAndOneIsLeft) {
  EXPECT_EQ(fit(8, 16, 4, 80 * kGiga), 3);
  EXPECT_EQ(fit(8, 9, 1, 80 * kGiga), 8);
  EXPECT_EQ(fit(8, 8, 1, 80 * kGiga), 7);
  EXPECT_EQ(fit(8, 1, 1, 80 * kGiga), 1);
}

TEST(Sharers, HalfOfTheMemoryHoldsWhatTheyTakeForGood) {
  EXPECT_EQ(fit(16, 64, 1, 4 * kGiga), 16);
  EXPECT_EQ(fit(16, 64, 1, 2 * kGiga), 8);
  EXPECT_EQ(fit(8, 64, 1, kGiga), 4);
  EXPECT_EQ(fit(8, 64, 1, kReserve), 1);
}

}  // namespace
}  // namespace rt::inline v0::detail
