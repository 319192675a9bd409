#include "hpo/samplers/explore.h"

#include <gtest/gtest.h>

#include <set>

#include "hpo/samplers/registry.h"
#include "tests/hpo/samplers/spaces.h"

namespace hpo {
namespace {

using Int = std::int64_t;

TEST(Perturbed, AFloatIsMultipliedOrDividedAndClipped) {
  const Domain lr = FloatRange{.min = 1e-4, .max = 1e-1, .scale = Scale::log};
  EXPECT_EQ(perturbed(lr, 0.01, 1.2, true), ParamValue(0.012));
  EXPECT_EQ(perturbed(lr, 0.012, 1.2, false), ParamValue(0.01)) << "down undoes up";
  EXPECT_EQ(perturbed(lr, 0.09, 1.2, true), ParamValue(0.1));
  EXPECT_EQ(perturbed(lr, 1.1e-4, 1.2, false), ParamValue(1e-4));
  const Domain momentum = FloatRange{.min = 0, .max = 0.99};
  EXPECT_EQ(perturbed(momentum, 0.5, 2, true), ParamValue(0.99));
  EXPECT_EQ(perturbed(momentum, 0.5, 2, false), ParamValue(0.25));
}

TEST(Perturbed, AStepMovesByAtLeastOne) {
  const Domain dropout = FloatRange{.min = 0, .max = 0.5, .step = 0.25};
  EXPECT_EQ(perturbed(dropout, 0.25, 1.01, true), ParamValue(0.5));
  EXPECT_EQ(perturbed(dropout, 0.25, 1.01, false), ParamValue(0.0));
  EXPECT_EQ(perturbed(dropout, 0.5, 1.2, true), ParamValue(0.5));
  EXPECT_EQ(perturbed(dropout, 0.0, 1.2, true), ParamValue(0.25)) << "0 is no trap";
}

TEST(Perturbed, AnIntMovesByAtLeastOneAndStaysAnInt) {
  const Domain batch = IntRange{.min = 2, .max = 64, .scale = Scale::log};
  EXPECT_EQ(perturbed(batch, Int{3}, 1.2, true), ParamValue(Int{4}));
  EXPECT_EQ(perturbed(batch, Int{3}, 1.2, false), ParamValue(Int{2}));
  EXPECT_EQ(perturbed(batch, Int{32}, 1.2, true), ParamValue(Int{38}));
  EXPECT_EQ(perturbed(batch, Int{64}, 1.2, true), ParamValue(Int{64}));
  EXPECT_EQ(perturbed(batch, Int{2}, 1.2, false), ParamValue(Int{2}));
  const Domain even = IntRange{.min = 2, .max = 64, .step = 2};
  EXPECT_EQ(perturbed(even, Int{10}, 1.2, true), ParamValue(Int{12}));
  EXPECT_EQ(perturbed(even, Int{40}, 1.2, false), ParamValue(Int{34}));
}

TEST(Perturbed, AListOfNumbersMovesToTheNeighbourByValue) {
  const Domain batch = Choice{{Int{64}, Int{16}, 32.0}};
  EXPECT_EQ(perturbed(batch, Int{16}, 1.2, true), ParamValue(32.0));
  EXPECT_EQ(perturbed(batch, Int{64}, 1.2, false), ParamValue(32.0));
  EXPECT_EQ(perturbed(batch, Int{64}, 1.2, true), ParamValue(Int{64}));
  EXPECT_EQ(perturbed(batch, Int{16}, 1.2, false), ParamValue(Int{16}));
}

TEST(Perturbed, WordsAndConstantsHaveNoNeighbour) {
  const Domain words = Choice{{std::string("cosine"), std::string("constant")}};
  EXPECT_EQ(perturbed(words, std::string("cosine"), 1.2, true), ParamValue(std::string("cosine")));
  const Domain mixed = Choice{{Int{1}, std::string("auto"), Int{2}}};
  EXPECT_EQ(perturbed(mixed, Int{1}, 1.2, true), ParamValue(Int{1}));
  EXPECT_EQ(perturbed(Constant{Int{3}}, Int{3}, 1.2, true), ParamValue(Int{3}));
}

TEST(Explored, IsAlwaysAPointOfTheSpace) {
  for (const Space& space : {spaces::small(), spaces::conditional(), spaces::continuous()}) {
    std::vector<std::string> all;
    for (const Parameter& p : space.parameters()) all.push_back(p.name);
    Stream stream(1, "test");
    Params params = space.middle();
    for (int i = 0; i < 300; ++i) {
      params =
          explored(space, params, {.parameters = all, .resample = 0.25, .factor = 1.5}, stream);
      ASSERT_TRUE(space.contains(params)) << space.reason_outside(params);
    }
  }
}

TEST(Explored, WhatIsNotNamedStays) {
  const Space space = spaces::continuous();
  Stream stream(1, "test");
  const Params source = space.middle();
  const Params moved =
      explored(space, source, {.parameters = {"lr"}, .resample = 0.5, .factor = 1.2}, stream);
  EXPECT_NE(*moved.find("lr"), *source.find("lr"));
  for (const char* name : {"width", "momentum", "fixed"})
    EXPECT_EQ(*moved.find(name), *source.find(name)) << name;
}

TEST(Explored, AConditionalParameterComesAndGoes) {
  const Space space = spaces::conditional();
  const Params adam{{"optimizer", std::string("adam")}};
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 40; ++i) {
    Stream stream(i, "test");
    const Params moved = explored(
        space, adam, {.parameters = {"optimizer", "momentum"}, .resample = 1, .factor = 2}, stream);
    ASSERT_TRUE(space.contains(moved));
    seen.insert(json_of(moved));
  }
  EXPECT_EQ(seen.size(), 4U) << "adam, and sgd with each momentum";
}

}  // namespace
}  // namespace hpo
