// A gang's training has the bits of a training by one.
#include "nn/training/gang.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "nn/optimizers/stale.h"
#include "tests/nn/gang_cases.h"

namespace {

using nn_test::GangCase;
using nn_test::hyper;
using nn_test::Table;
using nn_test::Trained;

/// What the threads of a gang share: each waits for the others, the first of them adds up.
struct Meeting {
  explicit Meeting(int n) : members(n), all(n), blocks(static_cast<std::size_t>(n)), words(n) {}
  int members;
  std::barrier<> all;
  std::vector<std::vector<float*>> blocks;  // of each member
  std::vector<std::span<std::uint32_t>> words;
};

/// Sums of a member by plain loops over the shards' tree.
class MeetingSums final : public nn::GradientSums {
 public:
  MeetingSums(Meeting& meeting, int own) : meeting_(meeting), own_(own) {}

  Shards own(int shards) const override { return shards_of(own_, shards); }

  void gather(std::span<std::uint32_t> words) override {
    meeting_.words[static_cast<std::size_t>(own_)] = words;
    meeting_.all.arrive_and_wait();
    if (own_ == 0) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        std::uint32_t sum = 0;
        for (const auto& of_one : meeting_.words) sum += of_one[i];
        for (const auto& of_one : meeting_.words) of_one[i] = sum;
      }
    }
    meeting_.all.arrive_and_wait();
  }

  void sum(std::span<float* const> blocks, std::size_t count, int shards) override {
    EXPECT_EQ(static_cast<int>(blocks.size()), std::max(1, own(shards).size()));
    meeting_.blocks[static_cast<std::size_t>(own_)].assign(blocks.begin(), blocks.end());
    meeting_.all.arrive_and_wait();
    if (own_ == 0) add_up(count, shards);
    meeting_.all.arrive_and_wait();
  }

 private:
  Shards shards_of(int member, int shards) const {
    return {shards * member / meeting_.members, shards * (member + 1) / meeting_.members};
  }

  void add_up(std::size_t count, int shards) {
    std::vector<float*> all;
    for (int member = 0; member < meeting_.members; ++member) {
      const auto& blocks = meeting_.blocks[static_cast<std::size_t>(member)];
      const int size = shards_of(member, shards).size();
      all.insert(all.end(), blocks.begin(), blocks.begin() + size);
    }
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<float> level;
      for (const float* block : all) level.push_back(block[i]);
      while (level.size() > 1) {
        std::vector<float> next;
        for (std::size_t j = 0; j < level.size(); j += 2)
          next.push_back(j + 1 < level.size() ? level[j] + level[j + 1] : level[j]);
        level = next;
      }
      for (const auto& blocks : meeting_.blocks) blocks.front()[i] = level.front();
    }
  }

  Meeting& meeting_;
  int own_;
};

std::vector<Trained> by_gang(const GangCase& c, int members, const nn::Segment& segment) {
  Meeting meeting(members);
  std::vector<nn_test::MakeSums> makers;
  for (int i = 0; i < members; ++i)
    makers.emplace_back([&meeting, i] { return std::make_unique<MeetingSums>(meeting, i); });
  return nn_test::trained_by_gang(c, segment, makers);
}

bool same_bits(const nn::ParamSlab& a, const nn::ParamSlab& b) {
  return std::ranges::equal(a.bytes(), b.bytes());
}

TEST(Gang, HasTheBitsOfOne) {
  for (const int shards : {1, 8, 16})
    for (const GangCase& c : nn_test::gang_cases(shards)) {
      const Trained one = nn_test::trained(c, {0, 2}, nullptr);
      EXPECT_GT(one.stats.steps, 0);
      for (const int members : {1, 2, 3, 4, 5, 8})
        for (const Trained& member : by_gang(c, members, {0, 2})) {
          EXPECT_TRUE(same_bits(one.net, member.net))
              << c.name << ", " << shards << " shards, " << members << " members";
          EXPECT_EQ(one.stats, member.stats) << c.name << ", " << members << " members";
        }
    }
}

TEST(Gang, EndsBeforeTheSameStepWhereALossIsNoNumber) {
  GangCase c = nn_test::gang_cases(8)[0];
  // A single row, which one of the members meets.
  c.table.x[20 * 30 + 3] = std::numeric_limits<float>::quiet_NaN();
  const Trained one = nn_test::trained(c, {0, 2}, nullptr);
  ASSERT_TRUE(one.stats.diverged);
  for (const Trained& member : by_gang(c, 3, {0, 2})) {
    EXPECT_TRUE(same_bits(one.net, member.net));
    EXPECT_TRUE(member.stats.diverged);
    EXPECT_EQ(one.stats.steps, member.stats.steps);
  }
}

TEST(Gang, RefusesWhatDoesNotFitItsSteps) {
  const auto reason = [](nn::Hyper h) {
    const GangCase c{"mlp", nn_test::mlp(20, {8}, 3), std::move(h), Table(200, 20, 3)};
    try {
      (void)by_gang(c, 1, {0, 1});
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::Errc::study);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(reason(hyper("sgd", {{"lr", 0.1}}, 128, 64)), "");
  EXPECT_NE(reason(hyper("sgd", {{"lr", 0.1}}, 128, 65)).find("one has 65 shards of a batch"),
            std::string::npos);
  nn::Hyper stale = hyper("sgd", {{"lr", 0.1}}, 16, 2);
  stale.optimizer = nn::stale_choice(stale.optimizer, {.bound = 1, .replicas = 2});
  EXPECT_NE(reason(stale).find("train.staleness"), std::string::npos);
}

}  // namespace
