// Who works and why others are idle, on made-up moments: each gap has exactly its cause.

#include "runtime/core/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace rt::detail {
namespace {

constexpr unsigned kFirst = 0, kSecond = 1, kGpu = 2;

/// A moment so many seconds after the beginning.
base::Moment at(double seconds) { return {static_cast<std::int64_t>(seconds * 1e9)}; }

/// Two cores and a GPU, all idle from 0 on.
class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    for (const unsigned core : {kFirst, kSecond}) ledger.add(Device::cpu, core, at(0));
    ledger.add(Device::cuda, kGpu, at(0));
  }

  double idle(unsigned worker, IdleCause cause, double when) {
    return ledger.use_of(worker, at(when)).idle[static_cast<std::size_t>(cause)];
  }

  void expect_whole(double when) {
    for (const unsigned worker : {kFirst, kSecond, kGpu}) {
      const Ledger::Use use = ledger.use_of(worker, at(when));
      const double sum = std::accumulate(use.idle.begin(), use.idle.end(), use.busy + use.moving);
      EXPECT_NEAR(sum, when, 1e-6) << "worker " << worker;
    }
  }

  Ledger ledger;
};

TEST_F(LedgerTest, EachGapHasItsCause) {
  ledger.set_window(2, at(0));
  ledger.ready(Device::cpu, at(10));
  ledger.begun(kFirst, Device::cpu, at(12));
  ledger.ready(Device::cuda, at(20));
  ledger.taken(kGpu, Device::cuda, at(21));
  ledger.begun(kGpu, Device::cuda, at(26));
  ledger.ended(kFirst, at(30));
  ledger.ended(kGpu, at(40));
  for (const unsigned worker : {kFirst, kSecond, kGpu})
    EXPECT_DOUBLE_EQ(idle(worker, IdleCause::driver, 12), 10) << worker;
  EXPECT_DOUBLE_EQ(idle(kFirst, IdleCause::late, 50), 2);
  EXPECT_DOUBLE_EQ(idle(kSecond, IdleCause::late, 50), 2);
  EXPECT_DOUBLE_EQ(idle(kGpu, IdleCause::other_kind, 50), 2);
  EXPECT_DOUBLE_EQ(idle(kGpu, IdleCause::late, 50), 1);
  EXPECT_DOUBLE_EQ(idle(kSecond, IdleCause::other_kind, 50), 1);
  EXPECT_DOUBLE_EQ(idle(kSecond, IdleCause::slots, 50), 9);
  EXPECT_DOUBLE_EQ(idle(kSecond, IdleCause::waits, 50), 8 + 10);
  EXPECT_DOUBLE_EQ(idle(kSecond, IdleCause::driver, 50), 10 + 10);
  const Ledger::Use gpu = ledger.use_of(kGpu, at(50));
  EXPECT_DOUBLE_EQ(gpu.moving, 5);
  EXPECT_DOUBLE_EQ(gpu.busy, 14);
  expect_whole(50);
}

TEST_F(LedgerTest, WhatRunsNowCounts) {
  ledger.ready(Device::cpu, at(0));
  ledger.begun(kFirst, Device::cpu, at(1));
  EXPECT_DOUBLE_EQ(ledger.use_of(kFirst, at(4)).busy, 3);
  ledger.ready(Device::cuda, at(4));
  ledger.taken(kGpu, Device::cuda, at(5));
  EXPECT_DOUBLE_EQ(ledger.use_of(kGpu, at(7)).moving, 2);
  expect_whole(7);
}

TEST_F(LedgerTest, ATaskThatWaitsForItsNeedsIsACause) {
  ledger.held(Device::cpu, at(1));
  ledger.admitted(Device::cpu, at(4));
  ledger.ready(Device::cpu, at(4));
  ledger.begun(kFirst, Device::cpu, at(4));
  EXPECT_DOUBLE_EQ(idle(kFirst, IdleCause::needs, 4), 3);
  EXPECT_DOUBLE_EQ(idle(kGpu, IdleCause::needs, 4), 0);
  EXPECT_DOUBLE_EQ(idle(kGpu, IdleCause::waits, 4), 3);
  expect_whole(4);
}

TEST_F(LedgerTest, BehindTheLastTaskOfAKindIsTheEnd) {
  ledger.set_window(1, at(0));
  ledger.ready(Device::cpu, at(0));
  ledger.begun(kFirst, Device::cpu, at(2));
  ledger.ended(kFirst, at(5));
  EXPECT_DOUBLE_EQ(idle(kSecond, IdleCause::end, 8), 0);
  ledger.set_window(0, at(8));
  EXPECT_DOUBLE_EQ(idle(kFirst, IdleCause::end, 9), 4);
  EXPECT_DOUBLE_EQ(idle(kSecond, IdleCause::end, 9), 7);
  EXPECT_DOUBLE_EQ(idle(kSecond, IdleCause::late, 9), 2);
  EXPECT_DOUBLE_EQ(idle(kGpu, IdleCause::end, 9), 9);
  expect_whole(9);
}

TEST_F(LedgerTest, HelpIsWorkForAPartOfItsTime) {
  ledger.ready(Device::cpu, at(0));
  ledger.begun(kFirst, Device::cpu, at(0));
  ledger.helps(kSecond, at(2));
  ledger.helped(kSecond, std::chrono::seconds(3), at(6));
  const Ledger::Use use = ledger.use_of(kSecond, at(6));
  EXPECT_DOUBLE_EQ(use.busy, 3);
  EXPECT_DOUBLE_EQ(use.idle[static_cast<std::size_t>(IdleCause::waits)], 3);
  expect_whole(6);
}

TEST_F(LedgerTest, AWorkerThatStandsAsideIsBusy) {
  ledger.stands_aside(kSecond, at(1));
  ledger.is_back(kSecond, at(3));
  EXPECT_DOUBLE_EQ(ledger.use_of(kSecond, at(4)).busy, 2);
  expect_whole(4);
}

TEST_F(LedgerTest, AnOlderMomentCountsAsTheLastOne) {
  ledger.ready(Device::cpu, at(5));
  ledger.begun(kFirst, Device::cpu, at(4));
  EXPECT_DOUBLE_EQ(ledger.use_of(kFirst, at(6)).busy, 1);
  expect_whole(6);
}

TEST_F(LedgerTest, GapsAndTransfersAreSeenInTheTrace) {
  Trace trace;
  for (const char* name : {"cpu 0", "cpu 1", "cuda 0"}) trace.add_lane(name);
  ledger.show_in(&trace);
  ledger.ready(Device::cuda, at(1));
  ledger.taken(kGpu, Device::cuda, at(3));
  ledger.begun(kGpu, Device::cuda, at(4));
  ledger.close(at(5));
  const std::string json = trace.chrome_json();
  EXPECT_NE(json.find(R"("name": "idle: late", "cat": "waiting")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("late": "2.0 s", "driver": "1.0 s")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("name": "transfer", "cat": "transfer")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("name": "idle: other kind")"), std::string::npos) << json;
}

}  // namespace
}  // namespace rt::detail
