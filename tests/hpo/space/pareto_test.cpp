#include "hpo/space/pareto.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hpo/space/random.h"

namespace hpo {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<Losses> drawn(std::size_t count, std::size_t losses, int values, std::uint64_t seed) {
  Stream stream(seed, "points");
  std::vector<Losses> points(count, Losses(losses));
  for (Losses& point : points) {
    for (double& loss : point)
      loss = static_cast<double>(stream.below(static_cast<std::uint64_t>(values)));
  }
  return points;
}

/// By the definition: take away what nothing left dominates, again and again.
std::vector<std::size_t> fronts_by_definition(const std::vector<Losses>& points) {
  std::vector<std::size_t> fronts(points.size(), points.size());
  std::size_t done = 0;
  for (std::size_t front = 0; done < points.size(); ++front) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (fronts[i] != points.size()) continue;
      bool beaten = false;
      for (std::size_t j = 0; j < points.size(); ++j)
        beaten = beaten || (fronts[j] == points.size() && dominates(points[j], points[i]));
      if (!beaten) members.push_back(i);
    }
    for (const std::size_t i : members) fronts[i] = front;
    done += members.size();
  }
  return fronts;
}

TEST(Pareto, DominationNeedsNoWorseAndOnceBetter) {
  EXPECT_TRUE(dominates({1, 2}, {1, 3}));
  EXPECT_FALSE(dominates({1, 2}, {1, 2}));
  EXPECT_FALSE(dominates({1, 2}, {0, 3}));
  EXPECT_TRUE(dominates({1, 2}, {1, NAN}));
  EXPECT_FALSE(dominates({1, NAN}, {1, kInfinite})) << "as bad as each other";
}

TEST(Pareto, FrontsAreThoseOfTheDefinition) {
  for (const std::size_t losses : {1, 2, 3, 4}) {
    for (const int values : {2, 5, 1000}) {
      const auto points = drawn(60, losses, values, losses * 7 + static_cast<std::size_t>(values));
      EXPECT_EQ(fronts_of(points), fronts_by_definition(points)) << losses << " " << values;
    }
  }
  EXPECT_TRUE(fronts_of({}).empty());
}

TEST(Pareto, HypervolumeByHand) {
  EXPECT_EQ(hypervolume({}, {1, 1}), 0);
  const std::vector<Losses> two{{1, 3}, {2, 2}, {3, 1}, {3, 3}};
  EXPECT_EQ(hypervolume(two, {4, 4}), 6);
  EXPECT_EQ(hypervolume(two, {2, 2}), 0) << "a point at the reference is not better than it";
  const std::vector<Losses> cube{{0, 0, 0}, {1, 1, 1}};
  EXPECT_EQ(hypervolume(cube, {2, 3, 4}), 24);
  const std::vector<Losses> three{{1, 2, 3}, {2, 3, 1}, {3, 1, 2}};
  EXPECT_EQ(hypervolume(three, {4, 4, 4}), 3 * 6 - 3 * 2 + 1) << "each, less pairs, and all three";
  const std::vector<Losses> odd{{NAN, 0}, {kInfinite, 0}, {0.5, 0.5}};
  EXPECT_EQ(hypervolume(odd, {1, 1}), 0.25);
}

TEST(Pareto, HypervolumeIsTheShareOfDrawsThatAreBeaten) {
  for (const std::size_t losses : {2, 3, 4}) {
    auto points = drawn(12, losses, 10, losses);
    for (Losses& point : points)
      for (double& loss : point) loss /= 10;
    Stream stream(losses, "draws");
    constexpr int kDraws = 40000;
    int beaten = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      Losses at(losses);
      for (double& x : at) x = stream.uniform();
      beaten += std::ranges::any_of(points, [&](const Losses& p) { return dominates(p, at); });
    }
    EXPECT_NEAR(hypervolume(points, Losses(losses, 1)), static_cast<double>(beaten) / kDraws, 0.01);
  }
}

TEST(Pareto, CrowdingIsLargeAtTheEndsAndWhereNeighboursAreFar) {
  const std::vector<Losses> front{{0, 10}, {1, 9}, {2, 8}, {8, 2}, {10, 0}};
  const std::vector<double> crowding = crowding_of(front);
  EXPECT_EQ(crowding[0], kInfinite);
  EXPECT_EQ(crowding[4], kInfinite);
  EXPECT_DOUBLE_EQ(crowding[1], 0.4);
  EXPECT_DOUBLE_EQ(crowding[2], 1.4);
  EXPECT_EQ(crowding_of({}).size(), 0U);
}

TEST(Pareto, CrowdingIsANumberWhereALossIsInfinite) {
  for (const double worst : {kInfinite, std::nan("")}) {
    const std::vector<Losses> front{{0, 10}, {1, 9}, {2, 8}, {8, 2}, {worst, 0}};
    const std::vector<double> crowding = crowding_of(front);
    EXPECT_DOUBLE_EQ(crowding[1], 0.2) << "along the other loss alone";
    EXPECT_DOUBLE_EQ(crowding[3], 0.8);
    EXPECT_EQ(least_crowded(front, 3), (std::vector<std::size_t>{0, 4, 3}));
  }
}

TEST(Pareto, TheMostCoveringIsChosenGreedily) {
  const std::vector<Losses> front{{0, 10}, {1, 9}, {4, 4}, {9, 1}, {10, 0}};
  EXPECT_EQ(most_covering(front, 1), (std::vector<std::size_t>{2}));
  EXPECT_EQ(most_covering(front, 9).size(), 5U);
  const auto points = drawn(40, 3, 100, 3);
  const Losses reference = reference_behind(points);
  std::vector<Losses> chosen;
  for (const std::size_t place : most_covering(points, 6)) {
    double best = 0;
    for (const Losses& point : points) {
      chosen.push_back(point);
      best = std::max(best, hypervolume(chosen, reference));
      chosen.pop_back();
    }
    chosen.push_back(points[place]);
    EXPECT_NEAR(hypervolume(chosen, reference), best, 1e-6);
  }
}

}  // namespace
}  // namespace hpo
