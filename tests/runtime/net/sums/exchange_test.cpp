// What the executor does with messages that are late, wrong or missing.
#include "runtime/net/sums/exchange.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "base/bytes.h"
#include "tests/runtime/net/sums/gang.h"

namespace {

using namespace rt::net::sums;

/// The links of member 0 of two; the test is member 1.
class HandMade final : public Links {
 public:
  [[nodiscard]] int members() const noexcept override { return 2; }
  [[nodiscard]] int own() const noexcept override { return 0; }
  std::size_t send(int, std::span<const std::byte> head, std::span<const std::byte> body) override {
    sent.insert(sent.end(), head.begin(), head.end());
    sent.insert(sent.end(), body.begin(), body.end());
    return head.size() + body.size();
  }
  bool flush(int) override { return ++flushes >= 3; }  // not at once
  std::span<const std::byte> incoming(int) override {
    // A few bytes at a time.
    return std::span(come).subspan(taken, std::min<std::size_t>(come.size() - taken, 12));
  }
  void take(int, std::size_t bytes) override { taken += bytes; }
  void wait(std::span<const int>, std::span<const int>, base::Duration most) override {
    base::sleep_for(std::min<base::Duration>(most, std::chrono::milliseconds(1)));
  }

  /// Member 1 sends a message.
  void say(std::uint64_t epoch, std::uint64_t step, std::uint32_t bucket, std::uint32_t number,
           const std::vector<float>& values) {
    const std::uint64_t words[] = {epoch, step, bucket | std::uint64_t{number} << 32,
                                   values.size() * sizeof(float)};
    const auto head = std::as_bytes(std::span(words));
    const auto body = std::as_bytes(std::span(values));
    come.insert(come.end(), head.begin(), head.end());
    come.insert(come.end(), body.begin(), body.end());
  }

  base::Bytes sent, come;
  std::size_t taken = 0;
  int flushes = 0;
};

class ExchangeOfTwo : public testing::Test {
 protected:
  void begin(std::uint64_t epoch, std::uint64_t step) {
    const Shape shape{2, 2, mine_.size()};
    exchange_.begin({.tag = {epoch, step, 7},
                     .schedule = std::make_shared<Schedule>(
                         schedule_of({.kind = Way::Kind::doubling}, shape, 0)),
                     .buffers = {reinterpret_cast<std::byte*>(mine_.data())}});
  }

  std::vector<float> mine_{1, 2, 3, 4, 5};
  HandMade links_;
  Exchange exchange_{links_};
};

TEST_F(ExchangeOfTwo, AddsWhatComes) {
  begin(4, 9);
  EXPECT_TRUE(exchange_.advance());  // sends
  EXPECT_FALSE(exchange_.advance());
  EXPECT_EQ(exchange_.pending(), 1U);
  links_.say(4, 9, 7, 0, {10, 20, 30, 40, 50});
  EXPECT_TRUE(exchange_.advance());
  EXPECT_EQ(exchange_.pending(), 0U);
  EXPECT_EQ(mine_, (std::vector<float>{11, 22, 33, 44, 55}));
  EXPECT_EQ(exchange_.sent(), links_.sent.size());
  EXPECT_EQ(links_.sent.size(), 32 + 5 * sizeof(float));
}

TEST_F(ExchangeOfTwo, DropsWhatComesLate) {
  links_.say(3, 99, 7, 0, {1000, 1000, 1000});  // of an earlier membership
  links_.say(4, 8, 7, 3, {1000});               // of an earlier step
  links_.say(4, 9, 7, 0, {10, 20, 30, 40, 50});
  begin(4, 9);
  exchange_.finish();
  EXPECT_EQ(mine_, (std::vector<float>{11, 22, 33, 44, 55}));
  EXPECT_EQ(exchange_.dropped(), 2U);
}

TEST_F(ExchangeOfTwo, DropsALateMessageThatIsStillComing) {
  links_.say(3, 9, 7, 0, std::vector<float>(100, 1000));
  links_.come.resize(links_.come.size() - 100);
  begin(4, 9);
  (void)exchange_.advance();
  links_.come.resize(links_.come.size() + 100);
  links_.say(4, 9, 7, 0, {1, 1, 1, 1, 1});
  exchange_.finish();
  EXPECT_EQ(mine_, (std::vector<float>{2, 3, 4, 5, 6}));
}

TEST_F(ExchangeOfTwo, AMemberThatSpeaksOtherwiseIsLost) {
  const std::vector<float> values{10, 20, 30, 40, 50};
  const std::vector<std::function<void(HandMade&)>> wrong{
      [&](HandMade& links) { links.say(5, 9, 7, 0, values); },
      [&](HandMade& links) { links.say(4, 10, 7, 0, values); },
      [&](HandMade& links) { links.say(4, 9, 6, 0, values); },
      [&](HandMade& links) { links.say(4, 9, 7, 1, values); },
      [&](HandMade& links) {
        links.say(4, 9, 7, 0, {1, 2, 3, 4});
      },
      [&](HandMade& links) { links.come.resize(32, std::byte{0x55}); },
  };
  for (const auto& speak : wrong) {
    HandMade links;
    Exchange exchange(links);
    speak(links);
    exchange.begin({.tag = {4, 9, 7},
                    .schedule = std::make_shared<Schedule>(
                        schedule_of({.kind = Way::Kind::doubling}, {2, 2, 5}, 0)),
                    .buffers = {reinterpret_cast<std::byte*>(mine_.data())}});
    try {
      exchange.finish();
      ADD_FAILURE() << "it was taken";
    } catch (const LinkLost& lost) {
      EXPECT_EQ(lost.peer(), 1);
    }
  }
}

TEST_F(ExchangeOfTwo, PatienceHasAnEnd) {
  begin(4, 9);
  const base::Moment begun = base::now();
  EXPECT_THROW(exchange_.finish(0, std::chrono::milliseconds(50)), LinkLost);
  EXPECT_GE(base::seconds_since(begun), 0.05);
}

TEST_F(ExchangeOfTwo, SumsRunInTheirOrder) {
  std::string order;
  const auto note = [&](char what) { return [&order, what] { order += what; }; };
  for (const char name : {'a', 'b'})
    exchange_.begin({.tag = {4, 9, static_cast<std::uint32_t>(name)},
                     .schedule = std::make_shared<Schedule>(
                         schedule_of({.kind = Way::Kind::doubling}, {2, 2, 5}, 0)),
                     .buffers = {reinterpret_cast<std::byte*>(mine_.data())},
                     .before = note(name),
                     .after = note('.')});
  links_.say(4, 9, 'a', 0, {1, 1, 1, 1, 1});
  links_.say(4, 9, 'b', 0, {1, 1, 1, 1, 1});
  exchange_.finish(1);
  exchange_.finish();
  EXPECT_EQ(order, "a.b.");
  EXPECT_EQ(mine_, (std::vector<float>{3, 4, 5, 6, 7}));
}

}  // namespace
