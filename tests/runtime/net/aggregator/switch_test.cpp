// The switch alone: sums, the shadow copy, and packets that come when they should not.
#include "runtime/net/aggregator/switch.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace rt::net::aggregator {
namespace {

using To = Switch::To;
using Integers = std::vector<std::int32_t>;

Packet term(unsigned worker, std::uint32_t round, std::int32_t value, BlockExponent exponent = 0) {
  return {7, round, 0, static_cast<std::uint8_t>(worker), exponent, {value, -value}};
}

struct OfTwo : testing::Test {
  Switch it{7, 2, 4};
};

TEST_F(OfTwo, TheLastTermCompletesTheSum) {
  EXPECT_EQ(it.receive(term(1, 0, 3, 9)).to, To::nobody);
  const Switch::Answer answer = it.receive(term(0, 0, 4, 5));
  EXPECT_EQ(answer.to, To::everybody);
  EXPECT_EQ(answer.sum.integers, (Integers{7, -7}));
  EXPECT_EQ(answer.sum.exponent, 9);
  EXPECT_EQ(answer.sum.round, 0U);
}

TEST_F(OfTwo, ARepeatedTermCountsOnce) {
  (void)it.receive(term(0, 0, 3));
  EXPECT_EQ(it.receive(term(0, 0, 3)).to, To::nobody);
  EXPECT_EQ(it.repeated(), 1U);
  EXPECT_EQ(it.receive(term(1, 0, 4)).sum.integers, (Integers{7, -7}));
}

TEST_F(OfTwo, TheShadowCopyAnswersAWorkerThatMissedTheSum) {
  (void)it.receive(term(0, 0, 3));
  (void)it.receive(term(1, 0, 4));
  // Worker 0 has the sum and goes on; worker 1 has not, and asks again.
  (void)it.receive(term(0, 1, 100));
  const Switch::Answer again = it.receive(term(1, 0, 4));
  EXPECT_EQ(again.to, To::sender);
  EXPECT_EQ(again.sum.worker, 1);
  EXPECT_EQ(again.sum.integers, (Integers{7, -7}));
  EXPECT_EQ(it.receive(term(1, 1, 1)).sum.integers, (Integers{101, -101}));
}

TEST_F(OfTwo, PoolsAreUsedInTurn) {
  for (std::uint32_t round = 0; round < 9; ++round) {
    const auto value = static_cast<std::int32_t>(round);
    (void)it.receive(term(round % 2, round, value));
    const Switch::Answer answer = it.receive(term((round + 1) % 2, round, 10));
    ASSERT_EQ(answer.to, To::everybody);
    ASSERT_EQ(answer.sum.integers, (Integers{value + 10, -value - 10}));
  }
}

TEST_F(OfTwo, APacketThatItsSenderHasLeftBehindIsDropped) {
  (void)it.receive(term(0, 0, 3));
  (void)it.receive(term(1, 0, 4));
  (void)it.receive(term(0, 1, 5));
  EXPECT_EQ(it.receive(term(0, 0, 3)).to, To::nobody);  // its own next round has begun
  (void)it.receive(term(1, 1, 6));
  (void)it.receive(term(0, 2, 50));
  EXPECT_EQ(it.receive(term(1, 0, 4)).to, To::nobody);  // two rounds old, of the same pool
  EXPECT_EQ(it.dropped(), 2U);
  EXPECT_EQ(it.receive(term(1, 2, 1)).sum.integers, (Integers{51, -51}));
  EXPECT_EQ(it.receive(term(1, 0, 4)).to, To::nobody);  // the same after its sender is in the pool
  EXPECT_EQ(it.dropped(), 3U);
}

TEST_F(OfTwo, PacketsThatDoNotBelongHereAreDropped) {
  (void)it.receive(term(0, 0, 3));
  Packet other_job = term(1, 0, 4);
  other_job.job = 6;
  Packet no_slot = term(1, 0, 4);
  no_slot.slot = 4;
  Packet longer = term(1, 0, 4);
  longer.integers.push_back(1);
  Packet later = term(1, 2, 4);
  later.integers.clear();
  for (const Packet& packet : {other_job, no_slot, longer, term(2, 0, 4), later, term(1, 2, 4)}) {
    EXPECT_EQ(it.receive(packet).to, To::nobody);
  }
  EXPECT_EQ(it.dropped(), 6U);
  EXPECT_EQ(it.receive(term(1, 0, 4)).sum.integers, (Integers{7, -7}));
}

TEST_F(OfTwo, WithoutItsBitmapARepeatedTermIsAddedAgain) {
  Switch forgetful(7, 2, 4, Bitmap::off);
  (void)forgetful.receive(term(0, 0, 3));
  EXPECT_EQ(forgetful.receive(term(0, 0, 3)).sum.integers, (Integers{6, -6}));
}

TEST(Packets, HaveBytesThatReadBack) {
  const Packet packet{1U << 31, 5, 127, 63, 254, {-1, 0, INT32_MAX}};
  std::array<std::byte, kMostPacketBytes> bytes{};
  const std::size_t size = encode(packet, bytes);
  ASSERT_EQ(size, byte_count(packet));
  const auto read = decode(std::span(bytes).first(size));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->job, packet.job);
  EXPECT_EQ(read->round, packet.round);
  EXPECT_EQ(read->slot, packet.slot);
  EXPECT_EQ(read->worker, packet.worker);
  EXPECT_EQ(read->exponent, packet.exponent);
  EXPECT_EQ(read->integers, packet.integers);
}

TEST(Packets, OtherBytesAreNone) {
  std::array<std::byte, kMostPacketBytes + 4> bytes{};
  const std::size_t size = encode({1, 2, 3, 4, 5, {6}}, std::span(bytes).first<kMostPacketBytes>());
  EXPECT_FALSE(decode({}));
  EXPECT_FALSE(decode(std::span(bytes).first(kHeaderBytes - 1)));
  EXPECT_FALSE(decode(std::span(bytes).first(size + 1)));
  EXPECT_FALSE(decode(bytes));
  bytes[0] = std::byte{0};
  EXPECT_FALSE(decode(std::span(bytes).first(size)));
}

}  // namespace
}  // namespace rt::net::aggregator
