// Who works and why others are idle, on made-up moments: each gap has exactly its cause.

#include "runtime/core/idle_accounting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rt::inline v0::detail {
namespace {

constexpr unsigned kFirst = 0, kSecond = 1, kGpu = 2;

/// A moment so many seconds after the beginning.
base::Moment at(double seconds) { return {static_cast<std::int64_t>(seconds * 1e9)}; }

/// Two cores and a GPU, all idle from 0 on.
class IdleAccountingTest : public ::testing::Test {
 protected:
  IdleAccountingTest() {
    for (const unsigned core : {kFirst, kSecond}) accounting.add(Device::cpu, core, at(0));
    accounting.add(Device::cuda, kGpu, at(0));
  }

  double idle(unsigned worker, IdleCause cause, double when) {
    return accounting.use_of(worker, at(when)).idle[static_cast<std::size_t>(cause)];
  }

  void expect_whole(double when) {
    for (const unsigned worker : {kFirst, kSecond, kGpu}) {
      const WorkerTimes use = accounting.use_of(worker, at(when));
      const double sum = std::accumulate(use.idle.begin(), use.idle.end(), use.busy + use.moving);
      EXPECT_NEAR(sum, when, 1e-6) << "worker " << worker;
    }
  }

  IdleAccounting accounting;
};

TEST_F(IdleAccountingTest, EachGapHasItsCause) {
  accounting.set_window(2, at(0));
  accounting.ready(Device::cpu, at(10));
  accounting.begun(kFirst, Device::cpu, at(12));
  accounting.ready(Device::cuda, at(20));
  accounting.taken(kGpu, Device::cuda, at(21));
  accounting.begun(kGpu, Device::cuda, at(26));
  accounting.ended(kFirst, at(30));
  accounting.ended(kGpu, at(40));
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
  const WorkerTimes gpu = accounting.use_of(kGpu, at(50));
  EXPECT_DOUBLE_EQ(gpu.moving, 5);
  EXPECT_DOUBLE_EQ(gpu.busy, 14);
  expect_whole(50);
}

TEST_F(IdleAccountingTest, WhatRunsNowCounts) {
  accounting.ready(Device::cpu, at(0));
  accounting.begun(kFirst, Device::cpu, at(1));
  EXPECT_DOUBLE_EQ(accounting.use_of(kFirst, at(4)).busy, 3);
  accounting.ready(Device::cuda, at(4));
  accounting.taken(kGpu, Device::cuda, at(5));
  EXPECT_DOUBLE_EQ(accounting.use_of(kGpu, at(7)).moving, 2);
  expect_whole(7);
}

TEST_F(IdleAccountingTest, ATaskThatWaitsForItsNeedsIsACause) {
  accounting.held(Device::cpu, at(1));
  accounting.admitted(Device::cpu, at(4));
  accounting.ready(Device::cpu, at(4));
  accounting.begun(kFirst, Device::cpu, at(4));
  EXPECT_DOUBLE_EQ(idle(kFirst, IdleCause::needs, 4), 3);
  EXPECT_DOUBLE_EQ(idle(kGpu, IdleCause::needs, 4), 0);
  EXPECT_DOUBLE_EQ(idle(kGpu, IdleCause::waits, 4), 3);
  expect_whole(4);
}

TEST_F(IdleAccountingTest, BehindTheLastTaskOfAKindIsTheEnd) {
  accounting.set_window(1, at(0));
  accounting.ready(Device::cpu, at(0));
  accounting.begun(kFirst, Device::cpu, at(2));
  accounting.ended(kFirst, at(5));
  EXPECT_DOUBLE_EQ(idle(kSecond, IdleCause::end, 8), 0);
  accounting.set_window(0, at(8));
  EXPECT_DOUBLE_EQ(idle(kFirst, IdleCause::end, 9), 4);
  EXPECT_DOUBLE_EQ(idle(kSecond, IdleCause::end, 9), 7);
  EXPECT_DOUBLE_EQ(idle(kSecond, IdleCause::late, 9), 2);
  EXPECT_DOUBLE_EQ(idle(kGpu, IdleCause::end, 9), 9);
  expect_whole(9);
}

TEST_F(IdleAccountingTest, HelpIsWorkForAPartOfItsTime) {
  accounting.ready(Device::cpu, at(0));
  accounting.begun(kFirst, Device::cpu, at(0));
  accounting.helps(kSecond, at(2));
  accounting.helped(kSecond, std::chrono::seconds(3), at(6));
  const WorkerTimes use = accounting.use_of(kSecond, at(6));
  EXPECT_DOUBLE_EQ(use.busy, 3);
  EXPECT_DOUBLE_EQ(use.idle[static_cast<std::size_t>(IdleCause::waits)], 3);
  expect_whole(6);
}

TEST_F(IdleAccountingTest, AWorkerThatStandsAsideIsBusy) {
  accounting.stands_aside(kSecond, at(1));
  accounting.is_back(kSecond, at(3));
  EXPECT_DOUBLE_EQ(accounting.use_of(kSecond, at(4)).busy, 2);
  expect_whole(4);
}

TEST_F(IdleAccountingTest, AnOlderMomentCountsAsTheLastOne) {
  accounting.ready(Device::cpu, at(5));
  accounting.begun(kFirst, Device::cpu, at(4));
  EXPECT_DOUBLE_EQ(accounting.use_of(kFirst, at(6)).busy, 1);
  expect_whole(6);
}

TEST_F(IdleAccountingTest, GapsAndTransfersAreSeenInTheTrace) {
  Trace trace;
  for (const char* name : {"cpu 0", "cpu 1", "cuda 0"}) trace.add_lane(name);
  accounting.show_in(&trace);
  accounting.ready(Device::cuda, at(1));
  accounting.taken(kGpu, Device::cuda, at(3));
  accounting.begun(kGpu, Device::cuda, at(4));
  accounting.close(at(5));
  const std::string json = trace.chrome_json();
  EXPECT_NE(json.find(R"("name": "idle: late", "cat": "waiting")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("late": "2.0 s", "driver": "1.0 s")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("name": "transfer", "cat": "transfer")"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("name": "idle: other kind")"), std::string::npos) << json;
}

/// Of all buckets of a worker together.
WorkerTimes sum_of(const UseSeries& series, unsigned worker) {
  WorkerTimes sum;
  for (const WorkerTimes& times : series.workers.at(worker)) {
    sum.busy += times.busy;
    sum.moving += times.moving;
    for (std::size_t i = 0; i < kIdleCauses; ++i) sum.idle[i] += times.idle[i];
  }
  return sum;
}

double whole(const WorkerTimes& times) {
  return std::accumulate(times.idle.begin(), times.idle.end(), times.busy + times.moving);
}

/// Buckets are full but for the last one, and come to what use_of says.
void expect_series(IdleAccounting& accounting, const UseSeries& series, double when) {
  EXPECT_LE(series.workers.at(0).size(), UseSeries::kMostBuckets);
  EXPECT_NEAR(series.seconds, when, 1e-6);
  for (const unsigned worker : {kFirst, kSecond, kGpu}) {
    const WorkerTimes sum = sum_of(series, worker), use = accounting.use_of(worker, at(when));
    EXPECT_NEAR(sum.busy, use.busy, 1e-6) << worker;
    EXPECT_NEAR(sum.moving, use.moving, 1e-6) << worker;
    for (std::size_t i = 0; i < kIdleCauses; ++i)
      EXPECT_NEAR(sum.idle[i], use.idle[i], 1e-6) << worker << ' ' << i;
    const std::vector<WorkerTimes>& buckets = series.workers[worker];
    ASSERT_EQ(buckets.size(), static_cast<std::size_t>(std::ceil(when / series.width - 1e-9)));
    for (std::size_t i = 0; i + 1 < buckets.size(); ++i)
      ASSERT_NEAR(whole(buckets[i]), series.width, 1e-6) << worker << ' ' << i;
  }
}

TEST_F(IdleAccountingTest, OverTimeEachBucketHasWhatWasDoneInIt) {
  accounting.ready(Device::cpu, at(0));
  accounting.begun(kFirst, Device::cpu, at(0.0105));
  accounting.ended(kFirst, at(0.0302));
  const UseSeries series = accounting.series(at(0.1005));
  EXPECT_DOUBLE_EQ(series.width, 1e-3);
  expect_series(accounting, series, 0.1005);
  EXPECT_NEAR(series.workers[kFirst][10].busy, 0.5e-3, 1e-9);
  EXPECT_NEAR(series.workers[kFirst][20].busy, 1e-3, 1e-9);
  EXPECT_NEAR(series.workers[kFirst][30].busy, 0.2e-3, 1e-9);
  EXPECT_NEAR(series.workers[kFirst][100].busy, 0, 1e-9);
  EXPECT_NEAR(series.workers[kSecond][5].idle[static_cast<std::size_t>(IdleCause::late)], 1e-3,
              1e-9);
}

TEST_F(IdleAccountingTest, ALongRunHasNoMoreBucketsThanAShortOne) {
  double now = 0;
  for (int i = 0; i < 4000; ++i) {
    // Long gaps and short ones, so that many buckets are passed at once or none.
    const double begin = now + (i % 7 == 0 ? 3.0 : 1e-4), end = begin + (i % 5 == 0 ? 2.0 : 1e-3);
    accounting.ready(Device::cpu, at(begin));
    accounting.begun(kFirst, Device::cpu, at(begin));
    accounting.ready(Device::cuda, at(begin));
    accounting.taken(kGpu, Device::cuda, at(begin));
    accounting.ended(kFirst, at(end));
    accounting.begun(kGpu, Device::cuda, at(end));
    now = end + 1e-5;
    accounting.ended(kGpu, at(now));
    if (i % 500 == 0) expect_series(accounting, accounting.series(at(now)), now);
  }
  const UseSeries series = accounting.series(at(now));
  EXPECT_GT(series.workers[0].size(), UseSeries::kMostBuckets / 2);
  expect_series(accounting, series, now);
}

TEST_F(IdleAccountingTest, WiderBucketsKeepCausesWhereTheyWere) {
  accounting.ready(Device::cpu, at(2));
  accounting.begun(kFirst, Device::cpu, at(6));
  accounting.ended(kFirst, at(6.5));
  const UseSeries series = accounting.series(at(9));
  expect_series(accounting, series, 9);
  const auto late = [&](double when) {
    const auto bucket = static_cast<std::size_t>(when / series.width);
    const auto cause = static_cast<std::size_t>(IdleCause::late);
    return series.workers[kSecond].at(bucket).idle[cause] / series.width;
  };
  for (const double when : {1.0, 1.9, 6.1, 8.0}) EXPECT_NEAR(late(when), 0, 1e-9) << when;
  for (const double when : {2.1, 4.0, 5.9}) EXPECT_NEAR(late(when), 1, 1e-9) << when;
}

TEST_F(IdleAccountingTest, WhatIsStillOpenShowsInTheSeriesAndIsNotCountedTwice) {
  accounting.ready(Device::cpu, at(0));
  accounting.begun(kFirst, Device::cpu, at(0.5));
  for (const double when : {0.7, 0.9, 1.4})
    expect_series(accounting, accounting.series(at(when)), when);
  accounting.ended(kFirst, at(2));
  accounting.set_window(0, at(3));
  expect_series(accounting, accounting.series(at(4)), 4);
}

}  // namespace
}  // namespace rt::inline v0::detail
