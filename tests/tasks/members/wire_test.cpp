// Orders and their files on the way to a member on another host.
#include "tasks/members/wire.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "tasks/members/places.h"

namespace {

using tasks::Channel;
using tasks::Notice;
using tasks::Order;
using tasks::wire::FromFirst;
using tasks::wire::kHeld;
using tasks::wire::OrderSent;
using tasks::wire::Piece;
using tasks::wire::Receiving;
using tasks::wire::Sending;

constexpr std::size_t kMiB = std::size_t{1} << 20;

base::Bytes drawn(std::size_t bytes, std::uint64_t seed) {
  base::Stream random(seed, "file");
  base::Bytes all(bytes);
  for (std::byte& one : all) one = static_cast<std::byte>(random.below(256));
  return all;
}

Channel::Received training(std::uint32_t data_number, std::size_t job, std::size_t data) {
  Channel::Received order{.order = {.kind = Order::Kind::train, .data_number = data_number},
                          .files = {}};
  order.files.push_back(tasks::file_of(drawn(job, 1)));
  order.files.push_back(tasks::file_of(drawn(data, data_number)));
  return order;
}

/// Returns what arrives, and the bytes that have travelled for it. The receiver says at once what
/// it has taken.
std::pair<Channel::Received, std::size_t> travel(Sending& sending, Receiving& receiving) {
  std::size_t moved = 0;
  while (true) {
    const std::optional<FromFirst> message = sending.next();
    if (!message) throw base::Error(base::Errc::internal, "nothing is sent");
    if (const auto* const piece = std::get_if<Piece>(&*message)) {
      receiving.take(*piece);
      sending.taken(piece->bytes.size());
      moved += piece->bytes.size();
    } else {
      receiving.take(std::get<OrderSent>(*message));
    }
    if (auto order = receiving.whole()) return {std::move(*order), moved};
  }
}

TEST(Wire, BringsAnOrderWithItsFiles) {
  for (const std::size_t data : {std::size_t{0}, std::size_t{1}, 5 * kMiB + 7}) {
    Sending sending;
    Receiving receiving;
    sending.add(training(7, 100, data));
    const auto [order, moved] = travel(sending, receiving);
    EXPECT_EQ(order.order.data_number, 7U);
    ASSERT_EQ(order.files.size(), 2U);
    EXPECT_EQ(tasks::bytes_of(order.files[0]), drawn(100, 1));
    EXPECT_EQ(tasks::bytes_of(order.files[1]), drawn(data, 7));
    EXPECT_EQ(moved, 100 + data);
    EXPECT_FALSE(sending.next());
  }
}

TEST(Wire, BringsTheSameDataOnce) {
  Sending sending;
  Receiving receiving;
  for (const auto& [number, expected] :
       {std::pair{7U, 3 * kMiB + 10}, std::pair{7U, std::size_t{10}}, std::pair{8U, 3 * kMiB + 10},
        std::pair{8U, std::size_t{10}}}) {
    sending.add(training(number, 10, 3 * kMiB));
    sending.add({.order = {.kind = Order::Kind::over}, .files = {}});
    const auto [order, moved] = travel(sending, receiving);
    EXPECT_EQ(moved, expected) << number;
    EXPECT_EQ(tasks::bytes_of(order.files.at(1)), drawn(3 * kMiB, number));
    EXPECT_EQ(travel(sending, receiving).first.order.kind, Order::Kind::over);
  }
}

TEST(Wire, HasAtMostFourMebibytesOnTheirWay) {
  Sending sending;
  sending.add(training(7, 10, 20 * kMiB));
  std::size_t sent = 0;
  while (const auto message = sending.next())
    if (const auto* const piece = std::get_if<Piece>(&*message)) sent += piece->bytes.size();
  EXPECT_GE(sent, 4 * kMiB);
  EXPECT_LT(sent, 4 * kMiB + 512 * 1024);
  EXPECT_FALSE(sending.next());
  sending.taken(kMiB);
  EXPECT_TRUE(sending.next());
}

TEST(Wire, RefusesWhatDoesNotBelong) {
  Sending sending;
  sending.add(training(7, 10, 10));
  const OrderSent order = std::get<OrderSent>(*sending.next());
  const auto refused = [](auto&& act) {
    try {
      act();
    } catch (const base::Error& error) {
      return error.kind() == base::Errc::data;
    }
    return false;
  };
  EXPECT_TRUE(refused([] { Receiving().take(Piece{drawn(1, 1)}); }));
  EXPECT_TRUE(refused([] { Receiving().take(OrderSent{drawn(3, 1), {}}); }));
  EXPECT_TRUE(refused([&] { Receiving().take(OrderSent{order.order, {1, 2, 3}}); }));
  EXPECT_TRUE(refused([&] { Receiving().take(OrderSent{order.order, {kHeld}}); }));
  Receiving receiving;
  receiving.take(order);
  EXPECT_TRUE(refused([&] { receiving.take(order); }));
  EXPECT_TRUE(refused([&] { receiving.take(Piece{}); }));
  EXPECT_TRUE(refused([&] { receiving.take(Piece{drawn(11, 1)}); }));
  EXPECT_TRUE(refused([] { (void)tasks::wire::notice_of({drawn(sizeof(Notice) - 1, 1)}); }));
  EXPECT_EQ(tasks::wire::notice_of({drawn(sizeof(Notice), 1)}).address.back(), '\0');
}

}  // namespace
