#include "base/random.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace {

using Block = std::array<std::uint32_t, 4>;

TEST(Philox, KnownAnswersOfTheAuthors) {
  // The three vectors for philox4x32-10 in Random123's kat_vectors.
  EXPECT_EQ(base::philox_block({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(base::philox_block({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(base::philox_block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                               {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Mixed, KnownAnswersOfSplitMix64) {
  // What the generator of that name gives from the seed 0: its state goes up by the golden ratio.
  constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;
  EXPECT_EQ(base::mixed(kStep), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(base::mixed(2 * kStep), 0x6E789E6AA1B965F4U);
  EXPECT_EQ(base::mixed(3 * kStep), 0x06C45D188009454FU);
}

TEST(Stream, IsPhiloxOverItsKey) {
  const base::Key key{0x1122334455667788, 0x99aabbccddeeff00};
  base::Stream s(key);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const Block expected =
        base::philox_block({block, 0, 0xddeeff00, 0x99aabbcc}, {0x55667788, 0x11223344});
    for (const std::uint32_t word : expected) EXPECT_EQ(s.u32(), word);
  }
}

TEST(Stream, SameNameSameNumbersOtherNameOthers) {
  base::Stream a(7, "init", 3), b(7, "init", 3), c(7, "init", 4), d(8, "init", 3),
      e(7, "ini", "t", 3);
  const std::uint64_t first = a.u64();
  EXPECT_EQ(b.u64(), first);
  EXPECT_NE(c.u64(), first);
  EXPECT_NE(d.u64(), first);
  EXPECT_NE(e.u64(), first);
}

TEST(Stream, FrozenNumbers) {
  // These are part of every stored result: they may never change, on any machine.
  base::Stream s(7, "frozen");
  EXPECT_EQ(s.u64(), 0x2b4407a30601874eu);
  EXPECT_EQ(s.uniform(), 0.5256772907322678);
  EXPECT_EQ(s.normal(), 0.40900379907147527);
  EXPECT_EQ(s.normal(), -0.6529369635408402);
  EXPECT_EQ(s.below(1000), 716u);
}

TEST(Stream, UniformFillsItsRangeEvenly) {
  base::Stream s(1, "uniform");
  constexpr int kDraws = 400000, kBins = 64;
  std::vector<int> bins(kBins);
  for (int i = 0; i < kDraws; ++i) {
    const double u = s.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ++bins[static_cast<std::size_t>(u * kBins)];
  }
  double chi2 = 0;
  const double expected = static_cast<double>(kDraws) / kBins;
  for (const int n : bins) chi2 += (n - expected) * (n - expected) / expected;
  EXPECT_LT(chi2, 110);  // 63 degrees of freedom: p = 2e-4
}

TEST(Stream, NormalHasTheMomentsAndTailsOfOne) {
  base::Stream s(1, "normal");
  constexpr int kDraws = 500000;
  double sum = 0, squares = 0, fourth = 0;
  int beyond3 = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = s.normal();
    sum += x, squares += x * x, fourth += x * x * x * x;
    beyond3 += std::fabs(x) > 3;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.006);
  EXPECT_NEAR(squares / kDraws, 1, 0.01);
  EXPECT_NEAR(fourth / kDraws, 3, 0.06);
  EXPECT_NEAR(beyond3, kDraws * 0.0026998, 150);
}

TEST(Stream, NormalAgreesWithLibm) {
  base::Stream ours(5, "libm"), raw(5, "libm");
  for (int i = 0; i < 20000; ++i) {
    const double radius = std::sqrt(-2 * std::log(1 - raw.uniform()));
    const double angle = 2 * M_PI * raw.uniform();
    ASSERT_NEAR(ours.normal(), radius * std::cos(angle), 4e-15);
    ASSERT_NEAR(ours.normal(), radius * std::sin(angle), 4e-15);
  }
}

TEST(Stream, BelowIsEvenAndInRange) {
  base::Stream s(1, "below");
  std::array<int, 7> seen{};
  for (int i = 0; i < 70000; ++i) ++seen.at(s.below(7));
  for (const int n : seen) EXPECT_NEAR(n, 10000, 450);
  EXPECT_EQ(s.below(0), 0u);
  EXPECT_EQ(s.below(1), 0u);
  for (int i = 0; i < 100; ++i) EXPECT_LT(s.below((1ULL << 63) + 1), (1ULL << 63) + 1);
}

TEST(Stream, ShuffleIsAPermutationAndReachesAllOfThem) {
  std::set<std::vector<int>> seen;
  base::Stream s(1, "shuffle");
  for (int i = 0; i < 400; ++i) {
    std::vector<int> items(4);
    std::iota(items.begin(), items.end(), 0);
    s.shuffle(std::span(items));
    seen.insert(items);
    std::sort(items.begin(), items.end());
    ASSERT_EQ(items, (std::vector<int>{0, 1, 2, 3}));
  }
  EXPECT_EQ(seen.size(), 24u);
}

}  // namespace
