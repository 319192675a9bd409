// Members of a gang that are cut off, come late or never come change no bit of the network, whether
// they divide shards or layers. The members are threads of this process; tests/cli/gang.py kills
// processes.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "tasks/members/follower.h"
#include "tasks/members/roster.h"
#include "tests/nn/gang_cases.h"

namespace {

using nn_test::GangCase;
using nn_test::Trained;
using tasks::Channel;
using tasks::ElasticSums;
using tasks::Follower;
using tasks::Roster;

constexpr nn::Segment kLong{0, 40};

/// What a member besides the first one does. Its network begins with other weights, so that it must
/// copy those of the gang.
void follow(const GangCase& c, const nn::Segment& segment, int most_stages, base::File end) {
  const Channel channel(std::move(end));
  try {
    Follower follower(channel, tasks::enter_shared);
    while (true) {
      (void)follower.next_training();
      ElasticSums sums(follower, follower.notes(), false, {}, most_stages);
      (void)nn_test::trained(
          c, segment, &sums, [&sums] { return sums.stopping(); }, 5);
      follower.end_training();
    }
  } catch (const tasks::FirstIsGone&) {
  }
}

/// Threads that are members, which can be cut off.
class Rig {
 public:
  enum class Members : std::uint8_t { have_shards, have_stages };

  Rig(const GangCase& c, const nn::Segment& segment, int members,
      Members have = Members::have_shards)
      : case_(c),
        segment_(segment),
        most_stages_(have == Members::have_stages ? members : 0),
        roster_(
            std::in_place, members, [this](int) { return start(); },
            std::make_unique<tasks::SharedPlace>()) {}
  ~Rig() {
    roster_.reset();
    for (std::thread& thread : threads_) thread.join();
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  [[nodiscard]] Roster& roster() { return *roster_; }
  /// Lets nobody come any more.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  [[nodiscard]] std::size_t started() {
    const std::lock_guard lock(mutex_);
    return ends_.size();
  }
  /// Cuts a member off from its orders. It goes on with its step until it misses the others.
  void cut(std::size_t number) {
    const std::lock_guard lock(mutex_);
    ::shutdown(ends_[number].fd(), SHUT_RDWR);
  }
  /// Cuts it off, and waits until the gang knows.
  void lose(std::size_t number) {
    const int before = roster().changes().lost;
    cut(number);
    while (roster().changes().lost == before) base::sleep_for(std::chrono::milliseconds(1));
  }

  Trained train(const nn::StopPredicate& wish = {}, int fewest = 1) {
    roster_->begin(0, {}, fewest);
    tasks::UseNotes notes;
    ElasticSums sums(*roster_, notes, true, wish, most_stages_);
    Trained made = nn_test::trained(case_, segment_, &sums, [&sums] { return sums.stopping(); });
    roster_->over();
    use_ = notes.read();
    return made;
  }
  /// What the first member did.
  [[nodiscard]] const tasks::MemberUse& use() const { return use_; }

 private:
  tasks::StartedMember start() {
    const std::lock_guard lock(mutex_);
    if (closed_) throw base::Error(base::Errc::study, "no more");
    auto [ours, theirs] = Channel::make();
    ends_.emplace_back(::dup(theirs.fd()));
    threads_.emplace_back([this, end = std::move(theirs)]() mutable {
      follow(case_, segment_, most_stages_, std::move(end));
    });
    return {.process = nullptr, .channel = std::move(ours)};
  }

  const GangCase& case_;
  const nn::Segment segment_;
  const int most_stages_;
  tasks::MemberUse use_;
  std::mutex mutex_;
  bool closed_ = false;
  std::vector<base::File> ends_;
  std::vector<std::thread> threads_;
  std::optional<Roster> roster_;
};

void expect_same(const Trained& one, const Trained& gang, const std::string& what) {
  EXPECT_TRUE(std::ranges::equal(one.net.bytes(), gang.net.bytes())) << what;
  EXPECT_EQ(one.stats, gang.stats) << what;
}

TEST(ElasticGang, HasTheBitsOfOneProcess) {
  for (const int shards : {8, 16})
    for (const GangCase& c : nn_test::gang_cases(shards)) {
      const Trained one = nn_test::trained(c, {0, 2}, nullptr);
      for (const int members : {1, 2, 3, 4, 5, 8}) {
        Rig rig(c, {0, 2}, members);
        expect_same(one, rig.train(), c.name + ", " + std::to_string(members) + " members");
        EXPECT_EQ(rig.roster().changes().lost, 0);
      }
    }
}

/// Trains with members that are cut off at random moments.
Trained train_with_cuts(Rig& rig, base::Stream& stream) {
  std::atomic<bool> begun = false, ends = false;
  std::thread cutter([&] {
    while (!ends) {
      base::sleep_for(std::chrono::microseconds(500 + stream.below(8'000)));
      if (begun) rig.cut(stream.below(rig.started()));
    }
  });
  Trained made = rig.train([&] {
    begun = true;
    return false;
  });
  ends = true;
  cutter.join();
  return made;
}

TEST(ElasticGang, KeepsItsBitsWhereMembersAreCutOff) {
  base::Stream stream(7, "cuts");
  int cuts = 0, joined = 0;
  for (const int shards : {8, 16})
    for (const GangCase& c : nn_test::gang_cases(shards)) {
      const Trained one = nn_test::trained(c, kLong, nullptr);
      for (const int members : shards == 8 ? std::array{2, 5} : std::array{3, 8}) {
        Rig rig(c, kLong, members);
        const Trained made = train_with_cuts(rig, stream);
        expect_same(one, made, c.name + ", " + std::to_string(members) + " members");
        cuts += rig.roster().changes().lost;
        joined += rig.roster().changes().joined;
      }
    }
  EXPECT_GT(cuts, 20);
  EXPECT_GT(joined, 0);
}

constexpr auto kStages = Rig::Members::have_stages;

/// Networks of which cuts fall everywhere: between layers, in a residual block, before the loss.
std::vector<GangCase> staged_cases(int shards) {
  std::vector<GangCase> cases = nn_test::gang_cases(shards);
  const int batch = 3 * shards;
  const auto rows = static_cast<std::uint32_t>(3 * batch + shards / 2);
  cases.push_back({"residual", nn_test::residual(36, 12, 10),
                   nn_test::hyper("lars", {{"lr", 0.05}}, batch, shards),
                   nn_test::Table(rows, 36, 10)});
  return cases;
}

TEST(StagedGang, HasTheBitsOfOneProcess) {
  for (const int shards : {2, 8, 16})
    for (const GangCase& c : staged_cases(shards)) {
      const Trained one = nn_test::trained(c, {0, 2}, nullptr);
      for (const int members : {1, 2, 3, 4, 6}) {
        Rig rig(c, {0, 2}, members, kStages);
        expect_same(one, rig.train(), c.name + ", " + std::to_string(members) + " stages");
        EXPECT_EQ(rig.roster().changes().lost, 0);
        EXPECT_EQ(rig.use().bytes > 0, members > 1);
      }
    }
}

TEST(StagedGang, HasThemInSeveralWavesInLargePartsAndWhereItDiverges) {
  const GangCase waves{"waves", nn_test::normed(36, 12, 10),
                       nn_test::hyper("adam", {{"lr", 0.01}}, 150, 100),
                       nn_test::Table(420, 36, 10)};
  // What crosses a cut has no room in a ring buffer, so it is still on its way while the next shard
  // is computed.
  const GangCase wide{"wide", nn_test::mlp(20, {700, 600}, 3),
                      nn_test::hyper("sgd", {{"lr", 0.05}}, 768, 6), nn_test::Table(768, 20, 3)};
  GangCase diverging = nn_test::gang_cases(8)[0];
  diverging.hyper = nn_test::hyper("sgd", {{"lr", 1e30}}, 24, 8);
  for (const GangCase& c : {waves, wide, diverging}) {
    const Trained one = nn_test::trained(c, {0, 2}, nullptr);
    EXPECT_EQ(one.stats.diverged, c.name == diverging.name);
    Rig rig(c, {0, 2}, 3, kStages);
    const Trained made = rig.train();
    EXPECT_TRUE(std::ranges::equal(one.net.bytes(), made.net.bytes())) << c.name;
    // The loss may be NaN, which equals nothing.
    EXPECT_EQ(std::bit_cast<std::uint64_t>(one.stats.loss),
              std::bit_cast<std::uint64_t>(made.stats.loss));
    EXPECT_EQ(one.stats.diverged, made.stats.diverged);
    EXPECT_EQ(one.stats.steps, made.stats.steps);
  }
}

TEST(StagedGang, KeepsItsBitsWhereMembersAreCutOff) {
  base::Stream stream(11, "cuts");
  int cuts = 0, joined = 0;
  for (const int shards : {8, 16})
    for (const GangCase& c : staged_cases(shards)) {
      const Trained one = nn_test::trained(c, kLong, nullptr);
      for (const int members : {2, 4}) {
        Rig rig(c, kLong, members, kStages);
        const Trained made = train_with_cuts(rig, stream);
        expect_same(one, made, c.name + ", " + std::to_string(members) + " stages");
        cuts += rig.roster().changes().lost;
        joined += rig.roster().changes().joined;
      }
    }
  EXPECT_GT(cuts, 20);
  EXPECT_GT(joined, 0);
}

TEST(StagedGang, GoesOnWithFewerStages) {
  const GangCase c = nn_test::gang_cases(8)[1];
  const Trained one = nn_test::trained(c, kLong, nullptr);
  Rig rig(c, kLong, 3, kStages);
  rig.close();
  int steps = 0;
  expect_same(one, rig.train([&] {
    if (++steps == 10) rig.lose(1);
    if (steps == 30) rig.lose(0);
    return false;
  }),
              "three stages, two, one");
  EXPECT_EQ(rig.roster().changes().lost, 2);
}

TEST(StagedGang, StopsAllMembersBeforeTheSameStep) {
  const GangCase c = nn_test::gang_cases(8)[0];
  Rig rig(c, kLong, 3, kStages);
  int asked = 0;
  const Trained made = rig.train([&] { return ++asked >= 20; });
  EXPECT_TRUE(made.stats.stopped);
  EXPECT_GT(made.stats.steps, 0);
  EXPECT_LT(made.stats.steps, nn_test::trained(c, kLong, nullptr).stats.steps);
}

TEST(ElasticGang, GoesOnWithoutThoseThatCannotBeReplaced) {
  const GangCase c = nn_test::gang_cases(8)[0];
  const Trained one = nn_test::trained(c, kLong, nullptr);
  Rig rig(c, kLong, 3);
  rig.close();
  int steps = 0;
  expect_same(one, rig.train([&] {
    if (++steps == 10) rig.lose(0);
    if (steps == 30) rig.lose(1);
    return false;
  }),
              "two of three cut off");
  EXPECT_EQ(rig.roster().changes().lost, 2);
  EXPECT_EQ(rig.roster().changes().joined, 0);
  const std::vector<std::string> news = rig.roster().take_news();
  ASSERT_FALSE(news.empty());
  EXPECT_EQ(news[0],
            "member 1 of the gang of 3 is lost: it has left; another process takes its place");
}

TEST(ElasticGang, RefusesToGoOnWithoutRoomForItsShards) {
  const GangCase c = nn_test::gang_cases(8)[0];
  Rig rig(c, kLong, 2);
  rig.close();
  int steps = 0;
  try {
    (void)rig.train(
        [&] {
          if (++steps == 10) rig.lose(0);
          return false;
        },
        2);
    FAIL() << "one member of the two that are needed went on";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::no_device);
    EXPECT_NE(std::string(error.what()).find("1 are left of 2"), std::string::npos) << error.what();
  }
  rig.roster().over();
}

TEST(ElasticGang, StopsAllMembersBeforeTheSameStep) {
  const GangCase c = nn_test::gang_cases(8)[0];
  Rig rig(c, kLong, 3);
  int asked = 0;
  const Trained made = rig.train([&] { return ++asked >= 20; });
  EXPECT_TRUE(made.stats.stopped);
  EXPECT_GT(made.stats.steps, 0);
  EXPECT_LT(made.stats.steps, nn_test::trained(c, kLong, nullptr).stats.steps);
}

TEST(ElasticGang, TrainsOneNetworkAfterTheOther) {
  const GangCase c = nn_test::gang_cases(8)[2];
  const Trained one = nn_test::trained(c, {0, 2}, nullptr);
  Rig rig(c, {0, 2}, 3);
  for (int i = 0; i < 5; ++i) {
    if (i == 2) rig.cut(0);
    expect_same(one, rig.train(), "training " + std::to_string(i));
  }
}

}  // namespace
