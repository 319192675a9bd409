// Links over TLS: who is let in, and what happens when somebody goes.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "runtime/net/transport.h"
#include "tests/runtime/net/sums/gang.h"

namespace {

using namespace rt::net::sums;
using rt::net::Authority;
using rt::net::Meeting;
using rt::net::MemberDoor;
using sums_tests::bits_of;
using sums_tests::draw_shards;
using sums_tests::serial_sum;
using sums_tests::Vector;

constexpr base::Duration kLong = std::chrono::seconds(20), kShort = std::chrono::milliseconds(300);

class TlsSums : public testing::Test {
 protected:
  void SetUp() override {
    try {
      authority_ = rt::net::load_network().make_authority();
    } catch (const base::Error& error) {
      if (error.kind() != base::Errc::no_device) throw;
      GTEST_SKIP() << error.what();
    }
  }

  std::unique_ptr<MemberDoor> door(const Authority& authority, bool driver = false) {
    rt::net::Network& network = rt::net::load_network();
    return network.open_door(network.issue(authority, driver), "127.0.0.1");
  }

  /// Opens a door for each member.
  void open_doors(int members) {
    doors_.clear();
    addresses_.clear();
    for (int i = 0; i < members; ++i) {
      doors_.push_back(door(authority_, i == 0));  // a driver's process may be a member, too
      addresses_.push_back(doors_.back()->address());
    }
  }
  [[nodiscard]] Meeting meeting(int own, std::uint64_t epoch = 1) const {
    return {.gang = 5, .epoch = epoch, .own = own, .addresses = addresses_};
  }
  std::unique_ptr<Links> meet(int own, std::uint64_t epoch = 1, base::Duration most = kLong) {
    return doors_[static_cast<std::size_t>(own)]->meet(meeting(own, epoch), most);
  }

  Authority authority_;
  std::vector<std::unique_ptr<MemberDoor>> doors_;
  std::vector<std::string> addresses_;
};

/// What one member gets of the sum of these shards.
Vector sum_over(Links& links, const std::vector<Vector>& shards) {
  const int n = static_cast<int>(shards.size());
  const ShardRange own = shards_of(links.own(), links.members(), n);
  std::vector<Vector> mine(shards.begin() + own.first, shards.begin() + own.last);
  std::vector<float*> blocks;
  for (Vector& one : mine) blocks.push_back(one.data());
  const Way way{.kind = is_balanced(links.members(), n) ? Way::Kind::halving : Way::Kind::subtrees};
  BucketSums sums(links, {.epoch = 1, .shards = n, .way = way});
  sums.begin(1, 0, 0, mine.front().size(), blocks);
  sums.finish();
  return mine.front();
}

TEST_F(TlsSums, HaveTheBitsOfOneProcess) {
  for (const int members : {2, 3, 4}) {
    open_doors(members);
    for (const std::size_t count : {0, 1, 1001, 300'000}) {
      const auto drawn = draw_shards(8, count, 3);
      const Vector expected = serial_sum(drawn);
      std::vector<Vector> results(static_cast<std::size_t>(members));
      std::vector<std::thread> threads;
      for (int i = 0; i < members; ++i)
        threads.emplace_back([&, i] {
          const auto links = meet(i);
          results[static_cast<std::size_t>(i)] = sum_over(*links, drawn);
        });
      for (std::thread& thread : threads) thread.join();
      for (const Vector& result : results) EXPECT_EQ(bits_of(result), bits_of(expected));
    }
  }
}

TEST_F(TlsSums, AMemberThatComputesForSecondsIsWaitedFor) {
  open_doors(2);
  const auto drawn = draw_shards(2, 4'000'000, 3);  // more than the system keeps on its way
  std::vector<Vector> results(2);
  std::vector<std::thread> threads;
  for (const int i : {0, 1})
    threads.emplace_back([&, i] {
      const auto links = meet(i);
      if (i == 1) base::sleep_for(std::chrono::seconds(5));
      results[static_cast<std::size_t>(i)] = sum_over(*links, drawn);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(bits_of(results[0]), bits_of(serial_sum(drawn)));
  EXPECT_EQ(bits_of(results[1]), bits_of(results[0]));
}

TEST_F(TlsSums, WhoeverHasNoCertificateOfTheStudyIsRefused) {
  open_doors(2);
  const auto stranger = door(rt::net::load_network().make_authority());
  std::thread knocks([&] { EXPECT_THROW((void)stranger->meet(meeting(1), kShort), LinkLost); });
  EXPECT_THROW((void)meet(0, 1, kShort), LinkLost);
  knocks.join();
  // The other way round: a member calls a stranger.
  addresses_.front() = stranger->address();
  std::thread answers([&] { EXPECT_THROW((void)stranger->meet(meeting(0), kShort), LinkLost); });
  EXPECT_THROW((void)meet(1, 1, kShort), LinkLost);
  answers.join();
}

TEST_F(TlsSums, WhoeverIsOfAnotherEpochOrGangIsRefusedAndOthersAreNot) {
  open_doors(2);
  std::thread late([&] { EXPECT_THROW((void)meet(1, 6, kShort), LinkLost); });
  EXPECT_THROW((void)meet(0, 7, kShort), LinkLost);
  late.join();
  std::thread other([&] {
    Meeting wrong = meeting(1, 7);
    wrong.gang = 6;
    EXPECT_THROW((void)doors_[1]->meet(wrong, kShort), LinkLost);
    EXPECT_NE(meet(1, 7), nullptr);
  });
  EXPECT_NE(meet(0, 7), nullptr);
  other.join();
}

TEST_F(TlsSums, SilentAndNoisyGuestsKeepNobodyOut) {
  open_doors(2);
  const std::string& address = addresses_.front();
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1))));
  std::vector<base::File> guests;
  for (int i = 0; i < 100; ++i) {
    guests.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(guests.back().fd(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    const char noise[] = "GET / HTTP/1.1\r\n\r\n";
    if (i % 2 == 0) {
      EXPECT_GT(::send(guests.back().fd(), noise, sizeof noise, MSG_NOSIGNAL), 0);
    }
  }
  std::thread member([&] { EXPECT_NE(meet(1), nullptr); });
  EXPECT_NE(meet(0), nullptr);
  member.join();
}

TEST_F(TlsSums, ProcessesSumAndAKilledOneIsLost) {
  open_doors(2);
  const auto drawn = draw_shards(4, 50'001, 3);
  const Vector expected = serial_sum(drawn);
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 99;
    try {
      const auto links = meet(1);
      code = bits_of(sum_over(*links, drawn)) == bits_of(expected) ? 0 : 1;
      if (code == 0) base::sleep_for(std::chrono::seconds(60));
    } catch (...) {
    }
    ::_exit(code);
  }
  const auto links = meet(0);
  EXPECT_EQ(bits_of(sum_over(*links, drawn)), bits_of(expected));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WNOHANG), 0) << "the child ended early";
  ::kill(child, SIGKILL);
  const base::Moment killed = base::now();
  try {
    (void)sum_over(*links, drawn);
    ADD_FAILURE() << "nobody was lost";
  } catch (const LinkLost& lost) {
    EXPECT_EQ(lost.peer(), 1);
  }
  EXPECT_LT(base::seconds_since(killed), 3.0);
  ::waitpid(child, nullptr, 0);
}

TEST_F(TlsSums, WhatALeaverSentIsStillTaken) {
  open_doors(2);
  std::unique_ptr<Links> other;
  std::thread member([&] { other = meet(1); });
  const auto links = meet(0);
  member.join();
  const Vector sent(1000, 2.5F);
  EXPECT_EQ(other->send(0, std::as_bytes(std::span(sent)), {}), sent.size() * sizeof(float));
  other.reset();
  std::size_t come = 0;
  const int peers[] = {1};
  const auto take_all = [&] {
    while (true) {
      const std::size_t now = links->incoming(1).size();
      links->take(1, now);
      come += now;
      if (now == 0) links->wait(peers, {}, kLong);
    }
  };
  EXPECT_THROW(take_all(), LinkLost);
  EXPECT_EQ(come, sent.size() * sizeof(float));
  EXPECT_THROW((void)links->send(1, std::as_bytes(std::span(sent)), {}), LinkLost);
}

TEST_F(TlsSums, ADoorNeedsAnAddressOfThisMachine) {
  rt::net::Network& network = rt::net::load_network();
  const rt::net::Identity own = network.issue(authority_, false);
  EXPECT_THROW((void)network.open_door(own, "192.0.2.1"), base::Error);
  EXPECT_THROW((void)network.open_door({"no", "such", "keys"}, "127.0.0.1"), base::Error);
  EXPECT_THROW((void)door(authority_)->meet({.own = 3, .addresses = {"a:1"}}, kShort), base::Error);
}

}  // namespace
