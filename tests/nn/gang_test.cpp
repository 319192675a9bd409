// A gang's training has the bits of a training by one.
#include "nn/training/gang.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

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

void expect_same(const Trained& one, const Trained& other, const std::string& what) {
  EXPECT_TRUE(same_bits(one.net, other.net)) << what;
  EXPECT_EQ(one.stats, other.stats) << what;
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

/// A gang of one, whose sums end when they are waited for. Loses a member at its call number
/// `lost`.
class FaultySums final : public nn::GradientSums, public nn::SumsUnderWay {
 public:
  explicit FaultySums(int lost) : lost_(lost) {}

  Shards own(int shards) const override { return {0, shards}; }
  void gather(std::span<std::uint32_t> /*words*/) override {}
  void sum(std::span<float* const> blocks, std::size_t count, int /*shards*/) override {
    add_up({.count = count, .blocks = blocks});
  }
  nn::SumsUnderWay* under_way() override { return this; }
  bool agree(nn::GangPoint& point) override {
    begun_ = 0;
    done_.push_back(point.done);
    return true;
  }

  Rules rules() const override { return {.undoes = true, .bucket = 1}; }
  Ticket begin_gather(std::span<std::uint32_t> /*words*/, int /*shards*/) override {
    call();
    return ++begun_;
  }
  Ticket begin_reduce(const Part& part) override {
    call();
    add_up(part);
    return ++begun_;
  }
  Ticket begin_share(const Part& /*part*/) override {
    call();
    return ++begun_;
  }
  void advance() override { call(); }
  void await(Ticket /*ticket*/) override { call(); }

  [[nodiscard]] int calls() const { return calls_; }
  /// Steps done at each agreement.
  [[nodiscard]] const std::vector<std::int64_t>& done() const { return done_; }

 private:
  void call() {
    if (calls_++ == lost_) throw nn::MembersChanged();
  }

  /// Into the first block, in the shards' tree.
  static void add_up(const Part& part) {
    for (std::size_t i = part.offset; i < part.offset + part.count; ++i)
      for (std::size_t step = 1; step < part.blocks.size(); step *= 2)
        for (std::size_t j = 0; j + step < part.blocks.size(); j += 2 * step)
          part.blocks[j][i] += part.blocks[j + step][i];
  }

  int lost_, calls_ = 0;
  Ticket begun_ = 0;
  std::vector<std::int64_t> done_;
};

/// Wherever a member is lost: between two layers' updates, in a step's first and last call.
TEST(Gang, UndoesAnUpdateThatIsNotWhole) {
  int undone = 0;
  for (GangCase c : nn_test::gang_cases(8)) {
    c.hyper.clip = 0;  // of the whole gradient, so nothing would wait for the next step
    const Trained one = nn_test::trained(c, {0, 1}, nullptr);
    FaultySums whole(-1);
    expect_same(one, nn_test::trained(c, {0, 1}, &whole), c.name);
    for (int lost = 0; lost < whole.calls(); ++lost) {
      FaultySums sums(lost);
      expect_same(one, nn_test::trained(c, {0, 1}, &sums),
                  c.name + ", call " + std::to_string(lost));
      ASSERT_EQ(sums.done().size(), 2U);
      // Steps that were counted before their update was whole are run again.
      undone += sums.calls() > whole.calls() + whole.calls() / static_cast<int>(one.stats.steps);
    }
  }
  EXPECT_GT(undone, 10);
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
