// Arrays from one member to another: in order, in both directions at once, and never mistaken.
#include "runtime/net/sums/handovers.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "runtime/net/sums/ring_links.h"

namespace {

using namespace rt::net::sums;

using Numbers = std::vector<std::uint32_t>;

Numbers numbers(std::size_t count, std::uint32_t from) {
  Numbers made(count);
  std::iota(made.begin(), made.end(), from);
  return made;
}

/// Both members send 50 messages of two arrays before they take what the other one has sent. The
/// rings have room for a small part of one message.
TEST(Handovers, GoBothWaysWithoutRoom) {
  const auto segment = Segment::make(2, 256);
  constexpr std::uint32_t kMessages = 50;
  const auto member = [&](int own) {
    RingLinks links(segment, own);
    Handovers handovers(links);
    const int peer = 1 - own;
    std::vector<Numbers> sent;
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const auto from = static_cast<std::uint32_t>(own) * 1'000'000 + i * 1'000;
      sent.push_back(numbers(i * 7, from));
      sent.push_back(numbers(300, from + 500));
    }
    for (std::uint32_t i = 0; i < kMessages; ++i)
      handovers.send(peer, {.epoch = 3, .step = 9, .shard = i},
                     std::vector{std::as_bytes(std::span(sent[2 * i])),
                                 std::as_bytes(std::span(sent[2 * i + 1]))});
    EXPECT_FALSE(handovers.idle());
    for (std::uint32_t i = 0; i < kMessages; ++i) {
      const auto from = static_cast<std::uint32_t>(peer) * 1'000'000 + i * 1'000;
      Numbers first(i * 7), second(300);
      handovers.receive(peer, {.epoch = 3, .step = 9, .shard = i},
                        std::vector{std::as_writable_bytes(std::span(first)),
                                    std::as_writable_bytes(std::span(second))});
      EXPECT_EQ(first, numbers(i * 7, from));
      EXPECT_EQ(second, numbers(300, from + 500));
    }
    handovers.finish(peer);
    EXPECT_TRUE(handovers.idle());
    EXPECT_GT(handovers.sent(), kMessages * 300 * sizeof(std::uint32_t));
  };
  std::thread other([&] { member(1); });
  member(0);
  other.join();
}

/// Returns why a member does not take a message as that of `due`.
std::string refusal(const HandoverTag& due, std::size_t count) {
  const auto segment = Segment::make(2);
  RingLinks sending(segment, 0), taking(segment, 1);
  Handovers sender(sending), taker(taking);
  const Numbers sent = numbers(5, 1);
  sender.send(1, {.epoch = 2, .step = 7, .shard = 4}, std::vector{std::as_bytes(std::span(sent))});
  Numbers taken(count);
  try {
    taker.receive(0, due, std::vector{std::as_writable_bytes(std::span(taken))});
  } catch (const LinkLost& lost) {
    return lost.what();
  }
  EXPECT_EQ(taken, sent);
  return {};
}

TEST(Handovers, TakeNoOtherMessageThanTheOneThatIsDue) {
  EXPECT_EQ(refusal({.epoch = 2, .step = 7, .shard = 4}, 5), "");
  EXPECT_EQ(refusal({.epoch = 2, .step = 7, .shard = 5}, 5),
            "member 0 of the gang is lost: it handed on shard 4, step 7, epoch 2 with 20 bytes, "
            "where shard 5, step 7, epoch 2 with 20 bytes was due");
  for (const HandoverTag& other : {HandoverTag{.epoch = 3, .step = 7, .shard = 4},
                                   HandoverTag{.epoch = 2, .step = 8, .shard = 4},
                                   HandoverTag{.epoch = 2, .step = 7, .shard = 4, .backward = 1}})
    EXPECT_NE(refusal(other, 5), "");
  EXPECT_NE(refusal({.epoch = 2, .step = 7, .shard = 4}, 4), "");
}

TEST(Handovers, EndWhereTheOtherMemberHasLeft) {
  const auto segment = Segment::make(2, 256);
  RingLinks links(segment, 0);
  Handovers handovers(links);
  const Numbers sent = numbers(5'000, 1);
  std::thread other([&] {
    RingLinks there(segment, 1);
    Handovers taker(there);
    Numbers taken(1);
    EXPECT_THROW(taker.receive(0, {}, std::vector{std::as_writable_bytes(std::span(taken))}),
                 LinkLost);
  });
  handovers.send(1, {}, std::vector{std::as_bytes(std::span(sent))});
  EXPECT_THROW(handovers.finish(1), LinkLost);
  other.join();
  Numbers taken(1);
  EXPECT_THROW(handovers.receive(1, {}, std::vector{std::as_writable_bytes(std::span(taken))}),
               LinkLost);
}

}  // namespace
