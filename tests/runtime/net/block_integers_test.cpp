// Sums through block integers: their error, their order, and floats that are no numbers.
#include "runtime/net/block_integers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace rt::net {
namespace {

using Floats = std::vector<float>;
using Integers = std::vector<std::int32_t>;
using Exponents = std::vector<BlockExponent>;

Exponents exponents_of(const std::vector<Floats>& terms) {
  Exponents all(block_count(terms.front().size()));
  for (const Floats& term : terms) {
    Exponents own(all.size());
    block_exponents(term, own);
    raise_exponents(all, own);
  }
  return all;
}

/// The integers of the whole sum, added in the order of the terms.
Integers integers_of(const std::vector<Floats>& terms, const Exponents& exponents) {
  Integers sum(terms.front().size());
  for (const Floats& term : terms) {
    Integers own(term.size());
    to_integers(term, exponents, terms.size(), own);
    add_integers(sum, own);
  }
  return sum;
}

Floats sum_of(const std::vector<Floats>& terms) {
  const Exponents exponents = exponents_of(terms);
  Floats sum(terms.front().size());
  to_floats(integers_of(terms, exponents), exponents, terms.size(), sum);
  return sum;
}

float finite_float(base::Stream& dice, std::uint32_t largest_field) {
  const auto field = static_cast<std::uint32_t>(dice.below(largest_field + 1));
  return std::bit_cast<float>((dice.u32() & 0x807fffffU) | field << 23);
}

/// One of the kinds of blocks that gradients have, and those that arithmetic finds hard.
float drawn(base::Stream& dice, std::uint64_t kind) {
  switch (kind) {
    case 0:
      return 0.0f;
    case 1:  // denormals
      return std::bit_cast<float>(dice.u32() & 0x807fffffU);
    case 2:  // up to the largest float
      return dice.below(4) == 0 ? (dice.below(2) ? FLT_MAX : -FLT_MAX) : finite_float(dice, 254);
    case 3:  // of one exponent, near the end of its range
      return dice.below(2) ? 0x1.fffffep-3f : -0x1.fffffep-3f;
    case 4:  // any size at all
      return finite_float(dice, 254);
    default:
      return static_cast<float>(dice.uniform(-1e-2, 1e-2));
  }
}

struct Worst {
  double share = 0;  ///< of the bound, over all blocks
  std::size_t overflows = 0;
  std::size_t beyond = 0;
};

/// Holds one block's sum against the exact one. Extended precision has 11 bits more than the bound
/// needs.
void check_block(const std::vector<Floats>& terms, Worst& worst) {
  const Exponents exponents = exponents_of(terms);
  const double bound = block_error_bound(exponents[0], terms.size());
  const Integers integers = integers_of(terms, exponents);
  Floats floats(integers.size());
  to_floats(integers, exponents, terms.size(), floats);
  const auto n = static_cast<long double>(terms.size());
  const long double unit = std::ldexp(n / (0x1p31L - n), exponents[0] - 126);
  std::vector<Integers> own(terms.size(), Integers(integers.size()));
  for (std::size_t t = 0; t < terms.size(); ++t) {
    to_integers(terms[t], exponents, terms.size(), own[t]);
  }
  for (std::size_t i = 0; i < integers.size(); ++i) {
    long double exact = 0;
    std::int64_t wide = 0;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      exact += terms[t][i];
      wide += own[t][i];
    }
    worst.overflows += wide != integers[i];
    const auto error = static_cast<double>(std::fabs(unit * integers[i] - exact));
    worst.share = std::max(worst.share, error / bound);
    const float size = std::fabs(floats[i]);
    if (std::isinf(size)) {
      worst.beyond += std::fabs(exact) + bound < static_cast<long double>(FLT_MAX);
      continue;
    }
    const double half_unit = (std::nextafter(size, HUGE_VALF) - static_cast<double>(size)) / 2;
    const bool at_the_top = size == FLT_MAX;
    worst.beyond += !at_the_top && std::fabs(floats[i] - exact) > bound + half_unit;
  }
}

TEST(BlockIntegers, StayWithinTheirBoundOnAMillionBlocks) {
  base::Stream dice(1, "blocks");
  Worst worst;
  std::vector<Floats> terms;
  for (int block = 0; block < 1'000'000; ++block) {
    const std::uint64_t kind = dice.below(7);
    // Most blocks are short, which keeps the test at seconds: a block's floats share nothing else.
    const std::size_t floats = block % 1000 == 0 ? kBlockFloats : 1 + dice.below(4);
    terms.assign(1 + dice.below(block % 100 == 0 ? 64 : 4), Floats(floats));
    for (Floats& term : terms) {
      for (float& x : term) x = drawn(dice, kind);
    }
    check_block(terms, worst);
  }
  EXPECT_EQ(worst.overflows, 0U);
  EXPECT_EQ(worst.beyond, 0U);
  EXPECT_LE(worst.share, 1.0);
  EXPECT_GT(worst.share, 0.9) << "the bound says more than it has to";
}

TEST(BlockIntegers, DoNotOverflowWithTheMostTerms) {
  for (const std::size_t n : {std::size_t{256}, std::size_t{1000}, kMostTerms}) {
    const Floats largest{0x1.fffffep0f, -0x1.fffffep0f};
    Exponents exponents(1);
    block_exponents(largest, exponents);
    Integers one(2);
    to_integers(largest, exponents, n, one);
    const auto sum = static_cast<std::int64_t>(n) * one[0];
    EXPECT_LE(sum, std::numeric_limits<std::int32_t>::max()) << n;
    EXPECT_GT(sum, std::int64_t{1} << 30) << n << ": a bit of the range is unused";
    EXPECT_EQ(one[1], -one[0]);
  }
}

TEST(BlockIntegers, HaveOneSumInEveryOrderAndGrouping) {
  base::Stream dice(2, "order");
  std::vector<Floats> terms(7, Floats(3 * kBlockFloats + 5));
  for (Floats& term : terms) {
    for (float& x : term) x = drawn(dice, dice.below(8));
  }
  const Floats expected = sum_of(terms);
  const Exponents exponents = exponents_of(terms);
  std::vector<std::size_t> order(terms.size());
  std::iota(order.begin(), order.end(), 0U);
  for (int round = 0; round < 20; ++round) {
    dice.shuffle(std::span(order));
    // Two groups that are added for themselves first.
    const std::size_t cut = 1 + dice.below(terms.size() - 1);
    std::array<Integers, 2> groups{Integers(expected.size()), Integers(expected.size())};
    Integers own(expected.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      to_integers(terms[order[i]], exponents, terms.size(), own);
      add_integers(groups[i < cut], own);
    }
    add_integers(groups[0], groups[1]);
    Floats sum(expected.size());
    to_floats(groups[0], exponents, terms.size(), sum);
    ASSERT_EQ(std::memcmp(sum.data(), expected.data(), sum.size() * sizeof(float)), 0) << round;
  }
}

TEST(BlockIntegers, KeepZerosAndPowersOfTwo) {
  EXPECT_EQ(sum_of({{0.0f, -0.0f}, {0.0f, 0.0f}}), (Floats{0.0f, 0.0f}));
  // The factor is no power of two, so even these are rounded: to the nearest float they are exact.
  EXPECT_EQ(sum_of({{1.0f, 0.5f, -0.25f}, {1.0f, 0.5f, -0.25f}}), (Floats{2.0f, 1.0f, -0.5f}));
  EXPECT_EQ(sum_of({{FLT_MAX}, {-FLT_MAX}}), Floats{0.0f});
  EXPECT_EQ(sum_of({{FLT_MAX}, {FLT_MAX}}), Floats{HUGE_VALF});
  const float least = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(sum_of({{least}, {3 * least}}), Floats{4 * least});
}

TEST(BlockIntegers, ExponentsOfASumAreThoseOfTheLargestTerm) {
  EXPECT_EQ(block_exponent({}), 0);
  EXPECT_EQ(block_exponent(Floats{0.0f, 0x1p-127f}), 0);
  EXPECT_EQ(block_exponent(Floats{0.5f, -1.0f}), 127);
  EXPECT_EQ(block_exponent(Floats{FLT_MAX}), 254);
  EXPECT_EQ(exponents_of({{1.0f}, {-4.0f}, {2.0f}}), Exponents{129});
}

TEST(BlockIntegers, AnyTermMarksABlockThatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Floats> terms(3, Floats(3 * kBlockFloats, 1.0f));
  terms[1][kBlockFloats + 7] = nan;
  terms[2].back() = -HUGE_VALF;
  EXPECT_EQ(exponents_of(terms), (Exponents{127, kNotFinite, kNotFinite}));
  const Floats sum = sum_of(terms);
  EXPECT_EQ(sum[0], 3.0f);
  EXPECT_TRUE(std::all_of(sum.begin() + kBlockFloats, sum.end(), [](float x) { return x != x; }));
}

TEST(BlockIntegers, TheLastBlockMayBeShort) {
  for (const std::size_t floats : {std::size_t{1}, kBlockFloats - 1, kBlockFloats + 1}) {
    Floats a(floats, 0.125f);
    a.back() = 1e20f;
    const Floats sum = sum_of({a, Floats(floats, 0.25f)});
    EXPECT_EQ(sum.back(), 1e20f) << floats;
    // A float that shares the last block with a huge one drowns in it; the block before does not.
    EXPECT_EQ(sum.front(), floats == 1 ? 1e20f : floats > kBlockFloats ? 0.375f : 0.0f) << floats;
  }
}

}  // namespace
}  // namespace rt::net
