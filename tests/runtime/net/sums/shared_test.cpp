// Links over shared memory: between threads, and between processes that end at any time.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "tests/runtime/net/sums/gang.h"

namespace {

using namespace rt::net::sums;
using sums_tests::bits_of;
using sums_tests::draw_shards;
using sums_tests::Member;
using sums_tests::serial_sum;
using sums_tests::Vector;

TEST(SharedMemory, ThreadsSumAsTheyCome) {
  constexpr std::size_t kCount = 10'000;
  for (const int members : {2, 3, 5})
    for (const std::size_t capacity : {std::size_t{64}, std::size_t{1} << 18}) {
      const auto drawn = draw_shards(8, kCount, 3);
      const Vector expected = serial_sum(drawn);
      const auto segment = Segment::make(members, capacity);
      std::vector<Vector> results(static_cast<std::size_t>(members));
      std::vector<std::thread> threads;
      for (int i = 0; i < members; ++i)
        threads.emplace_back([&, i] {
          Member member(segment, i, {.shards = 8, .way = {.kind = Way::Kind::subtrees}}, drawn);
          member.begin(1, 0, kCount / 2, kCount - kCount / 2);
          member.begin(1, 1, 0, kCount / 2);
          member.sums().finish();
          results[static_cast<std::size_t>(i)] = member.result();
        });
      for (std::thread& thread : threads) thread.join();
      for (const Vector& result : results) EXPECT_EQ(bits_of(result), bits_of(expected));
    }
}

/// Runs a function in a process of its own; the exit code is what it returns.
template <class F>
pid_t in_child(F f) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 99;
    try {
      code = f();
    } catch (...) {
    }
    ::_exit(code);
  }
  return child;
}

int exit_code_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(SharedMemory, ProcessesFindItByItsAddress) {
  const auto drawn = draw_shards(8, 5000, 3);
  const Vector expected = serial_sum(drawn);
  const auto segment = Segment::make(2);
  const Membership membership{.shards = 8, .way = {.kind = Way::Kind::halving}};
  const pid_t child = in_child([&] {
    Member member(Segment::open(segment->address()), 1, membership, drawn);
    for (std::uint64_t step = 0; step < 1; ++step) member.begin(step, 0, 0, 5000);
    member.sums().finish();
    return bits_of(member.result()) == bits_of(expected) ? 0 : 1;
  });
  Member member(segment, 0, membership, drawn);
  member.begin(0, 0, 0, 5000);
  member.sums().finish();
  EXPECT_EQ(bits_of(member.result()), bits_of(expected));
  EXPECT_EQ(exit_code_of(child), 0);
}

TEST(SharedMemory, AProcessThatIsKilledIsLost) {
  const auto drawn = draw_shards(2, 100'000, 3);
  const auto segment = Segment::make(2);
  const Membership membership{.shards = 2, .way = {.kind = Way::Kind::halving}};
  const pid_t child = in_child([&] {
    Member member(segment, 1, membership, drawn);
    base::sleep_for(std::chrono::seconds(60));
    return 0;
  });
  Member member(segment, 0, membership, drawn);
  member.begin(0, 0, 0, 100'000);
  while (segment->seat(1).state != Seat::kHere) base::sleep_for(std::chrono::milliseconds(1));
  (void)member.sums().advance();
  ::kill(child, SIGKILL);
  const base::Moment killed = base::now();
  try {
    member.sums().finish();
    ADD_FAILURE() << "nobody was lost";
  } catch (const LinkLost& lost) {
    EXPECT_EQ(lost.peer(), 1);
  }
  EXPECT_LT(base::seconds_since(killed), 3.0);
  (void)exit_code_of(child);
}

TEST(SharedMemory, WhatALeaverSentIsStillTaken) {
  const auto drawn = draw_shards(2, 50, 3);
  const auto segment = Segment::make(2);
  const Membership membership{.shards = 2, .way = {.kind = Way::Kind::doubling}};
  Member member(segment, 0, membership, drawn);
  {
    Member leaver(segment, 1, membership, drawn);
    leaver.begin(0, 0, 0, 50);
    (void)leaver.sums().advance();
  }
  member.begin(0, 0, 0, 50);
  member.sums().finish();
  EXPECT_EQ(bits_of(member.result()), bits_of(serial_sum(drawn)));
  member.begin(1, 0, 0, 50);
  EXPECT_THROW(member.sums().finish(), LinkLost);
}

TEST(SharedMemory, WrongAddressesAndSeatsAreRefused) {
  const auto segment = Segment::make(2);
  for (const std::string& address :
       {std::string("nothing"), std::string("/proc/self/fd/0#1"), std::string("/dev/null#7"),
        segment->address() + "1", std::string("#"), std::string("/nowhere#18446744073709551616")})
    EXPECT_THROW((void)Segment::open(address), base::Error) << address;
  EXPECT_THROW((void)Segment::make(0), base::Error);
  EXPECT_THROW((void)Segment::make(2, 100), base::Error);
  const RingLinks first(segment, 0);
  EXPECT_THROW(RingLinks(segment, 0), base::Error);
  EXPECT_THROW(RingLinks(segment, 2), base::Error);
}

}  // namespace
