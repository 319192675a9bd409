// A network that is trained through the sums between processes has the bits of a training by one.
#include "tasks/gang_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <optional>

#include "runtime/net/sums/ring_links.h"
#include "tests/nn/gang_cases.h"

namespace {

using nn_test::GangCase;
using nn_test::Trained;
using rt::net::sums::RingLinks;
using rt::net::sums::Segment;

/// A member's sums with the links that they use.
class OverRings final : public nn::GradientSums {
 public:
  OverRings(std::shared_ptr<Segment> segment, int own) : links_(std::move(segment), own) {
    sums_.begin({});
  }
  Shards own(int shards) const override { return sums_.own(shards); }
  void gather(std::span<std::uint32_t> words) override { sums_.gather(words); }
  void sum(std::span<float* const> blocks, std::size_t count, int shards) override {
    sums_.sum(blocks, count, shards);
  }
  [[nodiscard]] nn::SumsUnderWay* under_way() override { return sums_.under_way(); }
  [[nodiscard]] tasks::GangSums& sums() { return sums_; }

 private:
  RingLinks links_;
  tasks::GangSums sums_{links_};
};

using Rules = nn::SumsUnderWay::Rules;

/// Thread i is member numbers[i]. Without rules, sums follow the backward pass.
std::vector<Trained> by_gang(const GangCase& c, const std::vector<int>& numbers,
                             const std::optional<Rules>& rules = Rules{}) {
  const auto segment = Segment::make(static_cast<int>(numbers.size()), 1 << 12);
  std::vector<nn_test::MakeSums> makers;
  for (const int own : numbers)
    makers.emplace_back([=] {
      auto rings = std::make_unique<OverRings>(segment, own);
      rings->sums().follow();
      if (rules) rings->sums().overlap(*rules);
      return rings;
    });
  return nn_test::trained_by_gang(c, {0, 2}, makers);
}

std::vector<int> in_order(int members) {
  std::vector<int> numbers(static_cast<std::size_t>(members));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

void expect_bits_of_one(const GangCase& c, const std::vector<int>& numbers, const Trained& one,
                        const std::optional<Rules>& rules = Rules{}) {
  for (const Trained& member : by_gang(c, numbers, rules)) {
    EXPECT_TRUE(std::ranges::equal(one.net.bytes(), member.net.bytes()))
        << c.name << ", " << numbers.size() << " members";
    EXPECT_EQ(one.stats, member.stats) << c.name << ", " << numbers.size() << " members";
  }
}

TEST(GangSums, HaveTheBitsOfOneProcess) {
  for (const int shards : {1, 8, 16})
    for (const GangCase& c : nn_test::gang_cases(shards)) {
      const Trained one = nn_test::trained(c, {0, 2}, nullptr);
      for (const int members : {1, 2, 3, 4, 5, 8}) expect_bits_of_one(c, in_order(members), one);
    }
}

TEST(GangSums, HaveThoseBitsHoweverTheyOverlap) {
  const Rules by_layer{.bucket = 1}, settled{.defers = false, .bucket = 1},
      one_by_one{.bucket = 600, .memory = 0};
  for (const int shards : {1, 8})
    for (GangCase& c : nn_test::gang_cases(shards)) {
      for (const bool clipped : {false, true}) {
        c.hyper.clip = clipped ? 0.1 : 0;
        const Trained one = nn_test::trained(c, {0, 2}, nullptr);
        for (const int members : {1, 2, 3, 4}) {
          expect_bits_of_one(c, in_order(members), one, std::nullopt);
          for (const Rules& rules : {by_layer, settled, one_by_one})
            expect_bits_of_one(c, in_order(members), one, rules);
        }
      }
    }
}

TEST(GangSums, OfALossThatIsNoNumberChangeNothing) {
  GangCase c = nn_test::gang_cases(8)[0];
  // A single row, which one of the members meets.
  c.table.x[20 * 30 + 3] = std::numeric_limits<float>::quiet_NaN();
  const Trained one = nn_test::trained(c, {0, 2}, nullptr);
  ASSERT_TRUE(one.stats.diverged);
  for (const Rules& rules : {Rules{}, Rules{.bucket = 1}, Rules{.defers = false, .bucket = 1}})
    for (const Trained& member : by_gang(c, in_order(3), rules)) {
      EXPECT_TRUE(std::ranges::equal(one.net.bytes(), member.net.bytes()));
      EXPECT_TRUE(member.stats.diverged);
      EXPECT_EQ(one.stats.steps, member.stats.steps);
    }
}

TEST(GangSums, AreUnderWayWhileTheirMembersCompute) {
  const GangCase c{"wide", nn_test::mlp(64, {512, 512, 512}, 10),
                   nn_test::hyper("sgd", {{"lr", 0.05}}, 64, 4), nn_test::Table(256, 64, 10)};
  const auto segment = Segment::make(2);
  std::vector<std::thread> threads;
  for (int own = 0; own < 2; ++own)
    threads.emplace_back([&, own] {
      OverRings rings(segment, own);
      (void)nn_test::trained(c, {0, 2}, &rings);
      const tasks::GangSums& sums = rings.sums();
      EXPECT_GT(sums.waited().count(), 0);
      EXPECT_GT(sums.under_way_for(), sums.waited());
      EXPECT_GT(sums.bytes(), 8 * 2 * 512 * 512 * sizeof(float) / 2);
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(GangSums, DoNotDependOnWhoIsWhichMember) {
  for (const GangCase& c : nn_test::gang_cases(8)) {
    const Trained one = nn_test::trained(c, {0, 2}, nullptr);
    std::vector<int> numbers = in_order(3);
    do {
      expect_bits_of_one(c, numbers, one);
    } while (std::next_permutation(numbers.begin(), numbers.end()));
  }
}

TEST(GangSums, StopAllMembersBeforeTheSameStep) {
  const GangCase c = nn_test::gang_cases(8)[0];
  const Trained whole = nn_test::trained(c, {0, 2}, nullptr);
  const auto segment = Segment::make(3, 1 << 12);
  std::vector<std::thread> threads;
  std::vector<nn::TrainStats> stats(3);
  for (int own = 0; own < 3; ++own)
    threads.emplace_back([&, own] {
      OverRings rings(segment, own);
      std::int64_t asked = 0;
      // The second member wishes it from its third step on.
      if (own == 1) rings.sums().begin([&asked] { return ++asked >= 3; });
      stats[static_cast<std::size_t>(own)] =
          nn_test::trained(c, {0, 2}, &rings, [&] { return rings.sums().stopping(); }).stats;
    });
  for (std::thread& thread : threads) thread.join();
  for (const nn::TrainStats& one : stats) {
    EXPECT_TRUE(one.stopped);
    EXPECT_EQ(one.steps, 3);
    EXPECT_LT(one.steps, whole.stats.steps);
  }
}

TEST(GangSums, EndTheTrainingOfAllThatAreLeftWhereOneLeaves) {
  const GangCase c = nn_test::gang_cases(8)[0];
  const auto segment = Segment::make(3, 1 << 12);
  std::atomic<int> lost = 0;
  std::vector<std::thread> threads;
  for (int own = 0; own < 3; ++own)
    threads.emplace_back([&, own] {
      OverRings rings(segment, own);
      std::int64_t steps = 0;
      try {
        (void)nn_test::trained(c, {0, 2}, &rings, [&] { return own == 2 && ++steps == 3; });
      } catch (const rt::net::sums::LinkLost&) {
        ++lost;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(lost, 2);
}

}  // namespace
