#include "runtime/net/sums/block_integers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace {

using namespace rt::net::sums;

using Vector = std::vector<float>;

/// The sum of shards, and the exponents that they agreed on.
struct Summed {
  Vector sums;
  std::vector<std::int32_t> exponents, integers;
};

Summed sum(const std::vector<Vector>& shards) {
  const std::size_t count = shards.front().size();
  Summed made{Vector(count), std::vector<std::int32_t>(blocks_in(count)),
              std::vector<std::int32_t>(count)};
  const int n = static_cast<int>(shards.size());
  for (const Vector& shard : shards) raise_exponents(shard, made.exponents);
  for (const Vector& shard : shards) add_integers(shard, made.exponents, n, made.integers);
  restore(made.integers, made.exponents, n, made.sums);
  return made;
}

TEST(BlockIntegers, StayWithinTheirBound) {
  base::Stream stream(3, "blocks");
  for (const int n : {1, 2, 8, 16, 256})
    for (int turn = 0; turn < 40; ++turn) {
      std::vector<Vector> shards(static_cast<std::size_t>(n), Vector(kBlock + 3));
      const int scale = static_cast<int>(stream.below(250)) - 140;  // denormals to huge ones
      for (Vector& shard : shards)
        for (float& x : shard) x = std::ldexp(static_cast<float>(stream.normal()), scale);
      const Summed made = sum(shards);
      for (std::size_t i = 0; i < made.sums.size(); ++i) {
        double exact = 0;
        for (const Vector& shard : shards) exact += static_cast<double>(shard[i]);
        const double half_ulp =
            std::max(std::abs(exact) * 0x1p-24, double{std::numeric_limits<float>::denorm_min()});
        ASSERT_LE(std::abs(static_cast<double>(made.sums[i]) - exact),
                  error_bound(made.exponents[i / kBlock], n) * (1 + 1e-9) + half_ulp);
      }
    }
}

TEST(BlockIntegers, TheLargestNumbersDoNotOverflow) {
  for (const int n : {1, 3, 255, 256})
    for (const float x : {std::nextafter(1.0F, 0.0F), std::nextafter(0x1p-126F, 0.0F),
                          std::nextafter(std::numeric_limits<float>::max() / 256, 0.0F), 1.0F}) {
      const Summed up = sum(std::vector(static_cast<std::size_t>(n), Vector(5, x)));
      const Summed down = sum(std::vector(static_cast<std::size_t>(n), Vector(5, -x)));
      EXPECT_GT(up.integers.front(), 0);
      EXPECT_NEAR(up.sums.front() / (static_cast<double>(n) * x), 1, 1e-6);
      EXPECT_EQ(down.sums.front(), -up.sums.front());
    }
  const float most = std::numeric_limits<float>::max();
  EXPECT_TRUE(std::isfinite(sum({Vector{most}, Vector{-most}}).sums.front()));
}

TEST(BlockIntegers, EdgesHaveTheirValues) {
  EXPECT_EQ(sum({Vector(300, 0.0F), Vector(300, -0.0F)}).sums, Vector(300, 0.0F));
  const float least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(sum({Vector{least}, Vector{least}}).sums.front(), 2 * least);
  EXPECT_EQ(sum({Vector{1.5F, -0.25F}}).exponents.front(), 127);
  EXPECT_EQ(sum({Vector{1.5F, -0.25F}}).sums, (Vector{1.5F, -0.25F}));
}

TEST(BlockIntegers, WhatIsNotFiniteIsFound) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    Vector values(1000, 1.0F);
    std::vector<std::int32_t> exponents(blocks_in(values.size()));
    raise_exponents(values, exponents);
    EXPECT_EQ(find_not_finite(exponents), std::nullopt);
    values[800] = bad;
    raise_exponents(values, exponents);
    EXPECT_EQ(find_not_finite(exponents), 3U);
  }
}

}  // namespace
