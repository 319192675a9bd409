// Replicas in the order in which they really finish, and trainings that go by what was written
// down.
#include "nn/training/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "nn/optimizers/stale.h"
#include "tests/nn/gang_cases.h"
#include "tests/nn/threads.h"

namespace {

using nn::Arrivals;
using nn_test::GangCase;
using nn_test::hyper;
using nn_test::Threads;
using nn_test::Trained;

constexpr nn::Staleness kFour{.bound = 2, .replicas = 4};

GangCase stale_case(const nn::ModelSpec& spec, int shards) {
  nn::Hyper h = hyper("sgd", {{"lr", 0.05}, {"momentum", 0.5}}, 12, shards);
  h.optimizer = nn::stale_choice(h.optimizer, kFour);
  return {"stale", spec, nn::complete(h), nn_test::Table(250, 36, 10)};
}

/// Trains on so many threads, with what is known of the arrivals, and adds the rest there.
Trained arriving(const GangCase& c, const nn::Segment& segment, int threads, Arrivals& arrivals) {
  kern::prepare_thread();
  Trained result{nn::ParamSlab(nn::slab_header(c.spec, c.hyper.optimizer)), {}};
  nn::init_weights(result.net, 11);
  nn::Workspace workspace;
  Threads lent(workspace, threads);
  result.stats =
      nn::train_steps(kern::cpu_kernels(), workspace, result.net, c.table.view(), c.hyper, segment,
                      {}, threads > 1 ? &lent : nullptr, nullptr, {.arrivals = &arrivals});
  return result;
}

TEST(Arrivals, ATrainingRepeatsBitForBitByThem) {
  for (const GangCase& c :
       {stale_case(nn_test::normed(36, 33, 10), 1), stale_case(nn_test::assorted(3, 10), 3)})
    for (const int threads : {2, 4}) {
      Arrivals written;
      const Trained real = arriving(c, {0, 3}, threads, written);
      EXPECT_EQ(real.stats.rows, 3 * 250);
      ASSERT_EQ(written.epochs.size(), 3U);
      const std::string text = nn::text_of(written, "name");
      for (const int others : {1, 3}) {
        Arrivals read = nn::read_arrivals(text, "name", kFour, "file");
        EXPECT_EQ(read, written);
        const Trained again = arriving(c, {0, 3}, others, read);
        EXPECT_TRUE(std::ranges::equal(real.net.bytes(), again.net.bytes()));
        EXPECT_EQ(real.stats, again.stats);
      }
    }
}

TEST(Arrivals, ATrainingGoesOnBehindThem) {
  const GangCase c = stale_case(nn_test::normed(36, 12, 10), 1);
  Arrivals written;
  const Trained real = arriving(c, {0, 3}, 3, written);
  Arrivals first{{{0, written.epochs.at(0)}}};
  (void)arriving(c, {0, 3}, 2, first);
  EXPECT_EQ(first.epochs.size(), 3U);
  EXPECT_EQ(first.epochs.at(0), written.epochs.at(0));
  const Trained again = arriving(c, {0, 3}, 1, written);
  EXPECT_TRUE(std::ranges::equal(real.net.bytes(), again.net.bytes()));
}

TEST(Arrivals, OfSeveralThreadsAreTheirs) {
  const GangCase c = stale_case(nn_test::mlp(36, {256, 256}, 10), 1);
  Arrivals alone, together;
  (void)arriving(c, {0, 1}, 1, alone);
  // One thread finishes each batch before the next one.
  for (std::size_t i = 0; i < alone.epochs.at(0).size(); ++i)
    EXPECT_EQ(alone.epochs.at(0)[i].begins, i % 2 == 0);
  // On a busy machine a thread may be through an epoch before the others begin.
  const auto overlap = [](const auto& epoch) {
    const auto is_begin = [](const nn::StaleEvent& a, const nn::StaleEvent& b) {
      return a.begins && b.begins;
    };
    return std::ranges::adjacent_find(epoch.second, is_begin) != epoch.second.end();
  };
  const auto overlapped = [&] { return std::ranges::any_of(together.epochs, overlap); };
  for (int i = 0; i < 500 && !overlapped(); ++i) {
    together.epochs.clear();
    (void)arriving(c, {0, 2}, 4, together);
  }
  EXPECT_TRUE(overlapped());
}

std::string refused(const std::string& text) {
  try {
    (void)nn::read_arrivals(text, "name", kFour, "file");
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::data);
    return error.what();
  }
  return "";
}

TEST(Arrivals, RefuseWhatNoReplicasDid) {
  const std::string head = "trellis arrivals 1 name\n";
  EXPECT_EQ(refused(head), "");
  EXPECT_EQ(refused(head + "0 +0 +1 -1 -0\n1 +3 -3\n"), "");
  const auto expect = [&](const std::string& text, const std::string& why) {
    EXPECT_NE(refused(text).find(why), std::string::npos) << refused(text);
  };
  expect("", "file:1: no arrivals of a training");
  expect("trellis arrivals 1 other\n", "file:1: the arrivals of another training");
  expect(head + "x +0 -0\n", "file:2: 'x', expected an epoch");
  expect(head + "0 +0 -0\n0 +0 -0\n", "file:3: epoch 0 again");
  expect(head + "0 +0\n", "file:2: epoch 0 ends within a batch");
  expect(head + "0\n", "file:2: epoch 0 ends within a batch");
  expect(head + "0 -1\n", "replica 1 applies a batch that it did not begin");
  expect(head + "0 +1 +1\n", "replica 1 begins a batch within another one");
  expect(head + "0 +4 -4\n", "replica 4 where there are 4");
  expect(head + "0 *1\n", "'*1', expected + or - and the number of a replica");
  expect(head + "0 +0 -0 +0 -0 +0 -0 +0 -0\n", "begins a batch too early for a bound of 2");
}

}  // namespace
