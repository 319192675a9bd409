// A worker alone: which packets it sends, and when.
#include "runtime/net/aggregator/worker.h"

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/runtime/net/aggregator/terms.h"

namespace rt::net::aggregator {
namespace {

using std::chrono::milliseconds;

struct Kept final : Wire {
  std::vector<Packet> packets;
  void send(const Packet& packet) override { packets.push_back(packet); }
};

struct Alone : testing::Test {
  Layout layout = odd_layout();
  std::vector<float> values = drawn_terms(layout, 1, 3)[0];
  base::Moment start;
  Kept wire;
  Worker worker{{7, 0, 1, 3}, {milliseconds(10), 4}, wire};

  /// Answers as the switch of a single worker would.
  void answer(std::size_t packet) { worker.receive(Packet(wire.packets[packet]), start); }
};

TEST_F(Alone, BeginsWithTheExponentsOfEachSlotsFirstBlock) {
  worker.begin(layout, values, start);
  ASSERT_EQ(wire.packets.size(), 3U);
  for (std::uint32_t slot = 0; slot < 3; ++slot) {
    const Packet& packet = wire.packets[slot];
    EXPECT_EQ(packet.slot, slot);
    EXPECT_EQ(packet.round, 0U);
    EXPECT_TRUE(packet.integers.empty());
    const Block& block = layout.blocks()[slot];
    EXPECT_EQ(packet.exponent,
              block_exponent(std::span(values).subspan(block.first, block.floats)));
  }
}

TEST_F(Alone, SendsASlotsNextPacketWhenItsSumArrives) {
  worker.begin(layout, values, start);
  answer(1);
  ASSERT_EQ(wire.packets.size(), 4U);
  EXPECT_EQ(wire.packets[3].slot, 1U);
  EXPECT_EQ(wire.packets[3].round, 1U);
  EXPECT_EQ(wire.packets[3].integers.size(), layout.blocks()[1].floats);
  answer(1);  // the same sum again
  EXPECT_EQ(wire.packets.size(), 4U);
}

TEST_F(Alone, EndsWithItsOwnValues) {
  worker.begin(layout, values, start);
  for (std::size_t i = 0; i < wire.packets.size(); ++i) {
    EXPECT_FALSE(worker.done());
    answer(i);
  }
  ASSERT_TRUE(worker.done());
  EXPECT_FALSE(worker.due());
  EXPECT_EQ(std::vector<float>(worker.sum().begin(), worker.sum().end()),
            expected_sum(layout, {values}));
  // A packet for each block, and one for each slot before them.
  EXPECT_EQ(worker.sent(), layout.blocks().size() + 3);
}

TEST_F(Alone, NumbersRoundsOnFromSumToSum) {
  worker.begin(layout, values, start);
  for (std::size_t i = 0; i < wire.packets.size(); ++i) answer(i);
  const std::size_t first = wire.packets.size();
  worker.begin(layout, values, start);
  ASSERT_EQ(layout.blocks().size(), 8U);  // slots 0 and 1 have three blocks, slot 2 has two
  EXPECT_EQ(wire.packets[first].round, 4U);
  EXPECT_EQ(wire.packets[first + 1].round, 4U);
  EXPECT_EQ(wire.packets[first + 2].round, 3U);
}

TEST_F(Alone, SendsAgainWhatGetsNoAnswer) {
  worker.begin(layout, values, start);
  worker.resend(start + milliseconds(9));
  EXPECT_EQ(worker.resent(), 0U);
  ASSERT_EQ(worker.due(), start + milliseconds(10));
  answer(0);
  worker.resend(start + milliseconds(10));
  // Slots 1 and 2, and slot 0's next packet, which was sent at the start, too.
  EXPECT_EQ(worker.resent(), 3U);
  // The fourth in a row without any sum waits twice as long, the eighth four times.
  worker.resend(start + milliseconds(20));
  EXPECT_EQ(worker.due(), start + milliseconds(40));
  worker.resend(start + milliseconds(40));
  EXPECT_EQ(worker.due(), start + milliseconds(60));
  worker.resend(start + milliseconds(60));
  EXPECT_EQ(worker.due(), start + milliseconds(80));
  // A sum shows that the switch is there.
  answer(1);
  EXPECT_EQ(worker.due(), start + milliseconds(10));
  worker.resend(start + milliseconds(80));
  EXPECT_EQ(worker.due(), start + milliseconds(90));
}

TEST_F(Alone, SumsOfOtherJobsRoundsAndSizesChangeNothing) {
  worker.begin(layout, values, start);
  Packet other_job = wire.packets[0];
  other_job.job = 6;
  Packet early = wire.packets[0];
  early.round = 2;
  Packet no_slot = wire.packets[0];
  no_slot.slot = 3;
  for (const Packet& packet : {other_job, early, no_slot}) worker.receive(packet, start);
  EXPECT_EQ(wire.packets.size(), 3U);
  answer(0);
  Packet shorter = wire.packets[3];
  shorter.integers.pop_back();
  worker.receive(shorter, start);
  EXPECT_EQ(wire.packets.size(), 4U);
}

std::optional<std::string> complaint(const Worker& worker) {
  try {
    (void)worker.sum();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::data);
    return error.what();
  }
  return std::nullopt;
}

TEST_F(Alone, NamesTheFirstTensorThatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  values.back() = nan;
  values[3 * kBlockFloats + 17] = nan;  // the first float of the second tensor
  worker.begin(layout, values, start);
  for (std::size_t i = 0; i < wire.packets.size(); ++i) answer(i);
  ASSERT_TRUE(worker.done());
  const auto text = complaint(worker);
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("`dense1.bias`"), std::string::npos) << *text;
  // The next sum is one of its own.
  values.back() = values[3 * kBlockFloats + 17] = 1.0f;
  const std::size_t first = wire.packets.size();
  worker.begin(layout, values, start);
  for (std::size_t i = first; i < wire.packets.size(); ++i) answer(i);
  EXPECT_FALSE(complaint(worker));
}

}  // namespace
}  // namespace rt::net::aggregator
