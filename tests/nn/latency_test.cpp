// How long a network takes for one row: what counts, and that it is the network that takes it.

#include "nn/evaluation/latency.h"
#include "base/error.h"

#include <gtest/gtest.h>

#include <chrono>

#include "nn/model/init.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::Table;

const kern::Kernels<float>& cpu() {
  kern::prepare_thread();
  return kern::cpu_kernels();
}

nn::ParamSlab fresh(const nn::ModelSpec& spec) {
  nn::ParamSlab slab(nn::slab_header(spec, {"sgd", {}}));
  nn::init_weights(slab, 11);
  return slab;
}

double steady() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double latency(const nn::ModelSpec& spec, const nn::DataView& data, const nn::Clock& clock) {
  nn::Workspace workspace;
  return nn::row_latency(cpu(), workspace, fresh(spec), data, clock);
}

TEST(Latency, IsTheMedianOfWhatCounts) {
  const Table table(7, 10, 3);
  // Two looks a forward and one for the limit behind it; the forward numbered i takes i seconds for
  // odd i: all are beyond the limit, so the fewest count, behind one that does not.
  double now = 0;
  int looks = 0, forwards = 0;
  const auto clock = [&] {
    ++looks;
    // warm: begin, (begin, end), limit; counted: begin, (begin, end) x 5, limit
    const bool ends = looks == 3 || (looks > 5 && looks < 16 && looks % 2 == 1);
    if (ends) now += ++forwards;
    return now;
  };
  EXPECT_EQ(latency(nn_test::mlp(10, {24}, 3), table.view(), clock), 4);  // of 2, 3, 4, 5, 6
  EXPECT_EQ(forwards, 1 + nn::kFewestTimed);
}

TEST(Latency, EndsWhereTimeStandsStill) {
  const Table table(7, 10, 3);
  int looks = 0;
  const auto clock = [&] { return ++looks, 1.0; };
  EXPECT_EQ(latency(nn_test::mlp(10, {24}, 3), table.view(), clock), 0);
  EXPECT_GE(looks, 2 * nn::kMostTimed);
  EXPECT_LE(looks, 4 * nn::kMostTimed);
}

TEST(Latency, ALargerNetworkTakesLonger) {
  const Table table(20, 10, 3);
  const double small = latency(nn_test::mlp(10, {8}, 3), table.view(), steady);
  const double large = latency(nn_test::mlp(10, {1500, 1500}, 3), table.view(), steady);
  EXPECT_GT(small, 0);
  EXPECT_LT(small, 1e-3);
  EXPECT_GT(large, 5 * small);
}

TEST(Latency, RefusesRowsOfAnotherWidth) {
  const Table table(20, 9, 3);
  EXPECT_THROW((void)latency(nn_test::mlp(10, {8}, 3), table.view(), steady), base::Error);
  const Table fitting(20, 10, 3);
  nn::DataView none = fitting.view();
  none.rows = {};
  EXPECT_EQ(latency(nn_test::mlp(10, {8}, 3), none, steady), 0);
}

}  // namespace
