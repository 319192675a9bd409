#include <gtest/gtest.h>

#include "hpo/samplers/registry.h"
#include "tests/hpo/samplers/spaces.h"

namespace hpo {
namespace {

TEST(Grid, VisitsPointsAsNestedLoops) {
  Space space = spaces::small();
  auto grid = make_sampler("grid", {space, 1, {}});
  for (std::uint64_t i = 0; i < 18; ++i) {
    auto point = grid->propose(i);
    ASSERT_TRUE(point);
    EXPECT_EQ(*point, space.grid_point(i));
    grid->created(i, *point);
  }
  EXPECT_EQ(text_of(space.grid_point(0)), "optimizer=adam batch=32 dropout=0.0");
  EXPECT_EQ(text_of(space.grid_point(1)), "optimizer=adam batch=32 dropout=0.25");
}

TEST(Grid, PassesOverPointsThatWereTriedByHand) {
  Space space = spaces::small();
  auto grid = make_sampler("grid", {space, 1, {}});
  grid->created(0, space.grid_point(0));
  grid->created(1, space.grid_point(2));
  EXPECT_EQ(grid->propose(2), space.grid_point(1));
  grid->created(2, space.grid_point(1));
  EXPECT_EQ(grid->propose(3), space.grid_point(3));
}

TEST(Grid, RefusesWhatItCannotCountAndSaysWhich) {
  std::string reason = sampler_refuses("grid", spaces::continuous(), {});
  EXPECT_NE(reason.find("lr"), std::string::npos) << reason;
  EXPECT_NE(reason.find("step"), std::string::npos) << reason;
  EXPECT_EQ(sampler_refuses("grid", spaces::small(), {}), "");
  EXPECT_EQ(sampler_refuses("random", spaces::continuous(), {}), "");
}

}  // namespace
}  // namespace hpo
