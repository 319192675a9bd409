// Copies of bytes between members, whole or not at all.
#include "runtime/net/sums/copies.h"

#include <gtest/gtest.h>

#include <numeric>
#include <thread>
#include <vector>

#include "runtime/net/sums/ring_links.h"

namespace {

using namespace rt::net::sums;

/// What a member has: two parts.
struct Held {
  explicit Held(std::uint32_t from) : first(3'000), second(2) {
    std::iota(first.begin(), first.end(), from);
    std::iota(second.begin(), second.end(), from + 7);
  }
  [[nodiscard]] std::vector<std::span<std::byte>> parts() {
    return {std::as_writable_bytes(std::span(first)), std::as_writable_bytes(std::span(second))};
  }
  bool operator==(const Held&) const = default;
  std::vector<std::uint32_t> first, second;
};

TEST(Copies, ComeToThoseThatAreBehind) {
  const auto segment = Segment::make(4, 256);
  std::vector<Held> held;
  for (std::uint32_t i = 0; i < 4; ++i) held.emplace_back(1'000 * i);
  std::vector<std::thread> threads;
  for (int own = 0; own < 3; ++own)
    threads.emplace_back([&, own] {
      RingLinks links(segment, own);
      auto parts = held[static_cast<std::size_t>(own)].parts();
      if (own == 1)
        send_copies(links, 3, parts, std::vector<int>{0, 2});
      else
        receive_copy(links, 3, parts, 1);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(held[0], Held(1'000));
  EXPECT_EQ(held[1], Held(1'000));
  EXPECT_EQ(held[2], Held(1'000));
  EXPECT_EQ(held[3], Held(3'000)) << "one that takes no part";
}

TEST(Copies, ChangeNothingWhereTheSenderIsLost) {
  const auto segment = Segment::make(2, 256);
  Held sender(5), receiver(9);
  std::thread thread([&] {
    RingLinks links(segment, 1);
    send_copies(links, 3, std::vector{sender.parts().front()}, std::vector<int>{0});
  });
  RingLinks links(segment, 0);
  EXPECT_THROW(receive_copy(links, 3, receiver.parts(), 1), LinkLost);
  thread.join();
  EXPECT_EQ(receiver, Held(9));
}

}  // namespace
