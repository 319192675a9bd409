// What the even sequences are for: they leave no gaps.

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/hpo/samplers/studies.h"

namespace hpo {
namespace {

Space unit_cube(int axes) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < axes; ++i)
    parameters.push_back({.name = "x" + std::to_string(i), .domain = FloatRange{}});
  return Space(parameters);
}

std::vector<std::vector<double>> points(const std::string& kind, const Space& space, int count,
                                        std::uint64_t seed) {
  auto sampler = make_sampler(kind, {space, seed, {}});
  std::vector<std::vector<double>> all;
  for (int i = 0; i < count; ++i)
    all.push_back(space.to_unit(sampler->propose(static_cast<std::uint64_t>(i)).value()));
  return all;
}

TEST(Sobol, EachAxisHasOnePointInEachOf64Parts) {
  const Space space = unit_cube(12);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto all = points("sobol", space, 64, seed);
    for (std::size_t axis = 0; axis < space.size(); ++axis) {
      std::set<int> parts;
      for (const auto& point : all) parts.insert(static_cast<int>(point[axis] * 64));
      EXPECT_EQ(parts.size(), 64U) << "axis " << axis << ", seed " << seed;
    }
  }
}

/// The first two axes are a (0, 2)-sequence: every box of volume 1/64 has one point of 64.
TEST(Sobol, TheFirstTwoAxesFillEveryBox) {
  const auto all = points("sobol", unit_cube(2), 64, 3);
  for (int across = 1; across <= 64; across *= 2) {
    std::set<std::pair<int, int>> boxes;
    for (const auto& point : all)
      boxes.emplace(static_cast<int>(point[0] * across), static_cast<int>(point[1] * 64 / across));
    EXPECT_EQ(boxes.size(), 64U) << across << " boxes across";
  }
}

TEST(Halton, EachAxisHasOnePointInEachPartOfItsBase) {
  const Space space = unit_cube(4);
  const int bases[] = {2, 3, 5, 7};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const int parts = bases[axis] * bases[axis];
    std::set<int> found;
    for (const auto& point : points("halton", space, parts, 7))
      found.insert(static_cast<int>(point[axis] * parts));
    EXPECT_EQ(found.size(), static_cast<std::size_t>(parts)) << "base " << bases[axis];
  }
}

class Even : public ::testing::TestWithParam<const char*> {};

TEST_P(Even, APointIsAFunctionOfSeedAndOrdinal) {
  const Space space = spaces::nested();
  auto asked = make_sampler(GetParam(), {space, 5, {}});
  auto other = make_sampler(GetParam(), {space, 6, {}});
  for (const std::uint64_t ordinal : {9U, 0U, 1'000'000U, 4U})
    EXPECT_EQ(asked->propose(ordinal), make_sampler(GetParam(), {space, 5, {}})->propose(ordinal));
  EXPECT_NE(asked->propose(4), other->propose(4));
}

/// Mean squared error of the mean of a smooth function over the cube, beside that of chance.
TEST_P(Even, MeansAreFarMoreExactThanChance) {
  const Space space = unit_cube(6);
  double even = 0, chance = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const auto& [kind, error] : {std::pair<std::string, double*>{GetParam(), &even},
                                      std::pair<std::string, double*>{"random", &chance}}) {
      double mean = 0;
      for (const auto& point : points(kind, space, 256, seed)) {
        double value = 1;
        for (const double x : point) value *= 1 + (x - 0.5);
        mean += value / 256;
      }
      *error += (mean - 1) * (mean - 1);
    }
  }
  EXPECT_LT(even, 0.05 * chance);
}

INSTANTIATE_TEST_SUITE_P(Samplers, Even, ::testing::Values("sobol", "halton"),
                         [](const auto& test) { return std::string(test.param); });

TEST(Sobol, MoreParametersThanDirectionNumbersAreRefused) {
  EXPECT_EQ(sampler_refuses("sobol", unit_cube(3667), {}), "");
  EXPECT_NE(sampler_refuses("sobol", unit_cube(3668), {}), "");
  EXPECT_EQ(sampler_refuses("halton", unit_cube(3668), {}), "");
}

}  // namespace
}  // namespace hpo
