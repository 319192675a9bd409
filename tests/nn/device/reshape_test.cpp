#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernels/feed.h"
#include "nn/data/feed.h"
#include "nn/network/memory.h"
#include "nn/reshape/reshape.h"
#include "nn/reshape/statistics.h"
#include "nn/training/unit_norms.h"
#include "tests/nn/device/on_device.h"

namespace {

using namespace device_test;
using nn_test::hyper;
using nn_test::n;
using nn_test::Table;

const kern::Kernels<float>& cpu() {
  kern::prepare_thread();
  return kern::cpu_kernels();
}

const Table& table() {
  static const Table kTable(208, 36, 3);
  return kTable;
}

/// An operation on a network that has trained a little.
struct Case {
  std::string name;
  nn::ModelSpec spec;
  nn::Operation operation;
  bool rounds = false;  ///< what it decides by is summed up in the device's order
};

nn::Operation shrink(const std::string& layer, const std::string& score, bool refit) {
  return {"shrink", layer, {{"by", n(5)}, {"score", score}, {"refit", refit}}};
}

nn::Operation widen(const std::string& layer, const std::string& rule) {
  return {"widen", layer, {{"by", n(6)}, {"rule", rule}}};
}

std::vector<Case> cases() {
  const nn::ModelSpec mlp = nn::complete(nn_test::mlp(36, {24, 16}, 3));
  const nn::ModelSpec block = nn::complete(nn_test::residual(36, 12, 3));
  const nn::ModelSpec images = nn::complete(nn_test::assorted(3, 3));
  const nn::ModelSpec normed = nn::complete(nn_test::normed(36, 20, 3));
  std::vector<Case> all;
  for (const char* rule : {"fresh", "pair", "replicate", "random"})
    all.push_back({rule, mlp, widen("dense1", rule)});
  for (const char* rule : {"gradmax", "nest"})
    all.push_back({rule, mlp, widen("dense1", rule), true});
  nn::Operation noisy = widen("dense2", "replicate");
  noisy.fields["noise"] = 0.1;
  all.push_back({"replicate with noise", mlp, noisy, true});
  for (const char* score : {"weights", "norm", "random"})
    all.push_back({score, mlp, shrink("dense1", score, false)});
  for (const char* score : {"activation", "taylor"})
    all.push_back({score, mlp, shrink("dense1", score, false), true});
  all.push_back({"refit", mlp, shrink("dense1", "weights", true), true});
  all.push_back(
      {"scale", normed, shrink(nn::resizable_layers(normed).front(), "scale", true), true});
  all.push_back({"taylor and refit", mlp, shrink("dense1", "taylor", true), true});
  for (const char* form : {"residual", "identity"})
    all.push_back({form, mlp, {"deepen", "dense1", {{"form", std::string(form)}}}});
  all.push_back({"tidy", mlp, {"tidy", "dense1", {{"dead", true}}}});
  for (const nn::ModelSpec& spec : {block, images}) {
    for (const std::string& layer : nn::resizable_layers(spec)) {
      all.push_back({"wider " + layer, spec, widen(layer, "random")});
      all.push_back({"copied " + layer, spec, widen(layer, "replicate")});
      all.push_back({"opposed " + layer, spec, widen(layer, "pair")});
      nn::Operation less{"shrink", layer, {{"by", n(1)}, {"score", std::string("weights")}}};
      all.push_back({"fitted " + layer, spec, less, true});
    }
  }
  return all;
}

const nn::Hyper& hyper_of_all() {
  static const nn::Hyper kHyper = hyper("adam", {{"lr", 1e-3}}, 16);
  return kHyper;
}

nn::ParamSlab trained(const nn::ModelSpec& spec) {
  nn::ParamSlab net = fresh(spec, hyper_of_all());
  nn::Workspace workspace;
  (void)nn::train_steps(cpu(), workspace, net, here(table(), spec), hyper_of_all(), {0, 1});
  return net;
}

/// A place on the device for what an operation makes of a network, full of what is no number.
Net place_for(const nn::ParamSlab::Header& from, const nn::ModelSpec& spec) {
  nn::ParamSlab slab(nn::reshaped_header(from, spec));
  std::ranges::fill(slab.bytes(), std::byte{0xff});
  return Net(slab);
}

Net reshaped_there(const Net& from, const nn::Operation& operation, const nn::DataView& rows,
                   nn::Workspace& workspace) {
  const nn::ModelSpec spec = nn::measured_spec(kernels(), workspace, from.slab, operation, rows);
  Net to = place_for(from.slab.header(), spec);
  nn::reshape(kernels(), workspace, from.slab, operation, rows, 1, to.slab);
  return to;
}

void expect_equal(const nn::ParamSlab& here, const nn::ParamSlab& there, bool rounds) {
  ASSERT_EQ(there.header(), here.header());
  EXPECT_EQ(there.units(), here.units());
  EXPECT_EQ(there.state().steps, here.state().steps);
  EXPECT_EQ(there.state().rows, here.state().rows);
  if (!rounds) {
    EXPECT_TRUE(std::ranges::equal(there.bytes(), here.bytes()));
    return;
  }
  for (std::size_t i = 0; i < here.weights().size(); ++i)
    ASSERT_NEAR(there.weights()[i], here.weights()[i], 1e-4) << i;
  for (int s = 0; s < here.header().slots; ++s)
    EXPECT_TRUE(std::ranges::equal(there.slot(s), here.slot(s))) << s;
}

TEST(ReshapeOnDevice, MakesTheNetworkThatAProcessorMakes) {
  const Rows rows(table());
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name + ": " + nn::describe(c.operation));
    const nn::ParamSlab net = trained(c.spec);
    nn::Workspace workspace, host;
    const nn::ParamSlab wanted =
        nn::reshape(cpu(), host, net, c.operation, here(table(), c.spec), 1);
    const Net there = reshaped_there(Net(net), c.operation, rows.view(c.spec), workspace);
    expect_equal(wanted, there.back(), c.rounds);
    const Net fed = reshaped_there(Net(net), c.operation, here(table(), c.spec), workspace);
    EXPECT_TRUE(std::ranges::equal(fed.back().bytes(), there.back().bytes()))
        << "rows that are brought are those that lie there";
  }
}

std::size_t fetched = 0;

/// The device's table, whose memory counts what is read back.
const kern::Kernels<float>& counting_kernels() {
  static const kern::DeviceMemory kMemory = [] {
    auto memory = static_cast<const kern::DeviceMemory&>(device_test::memory());
    memory.get = [](void* to, const void* from, std::size_t bytes) {
      fetched += bytes;
      device_test::memory().get(to, from, bytes);
    };
    return memory;
  }();
  static const kern::Kernels<float> kKernels = [] {
    kern::Kernels<float> table = kernels();
    table.memory = &kMemory;
    return table;
  }();
  return kKernels;
}

TEST(ReshapeOnDevice, WhatNothingIsDecidedByStaysThere) {
  const std::vector<std::string> moved{"fresh",  "pair",     "replicate",
                                       "random", "residual", "identity"};
  nn::Workspace workspace;
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Net from(trained(c.spec));
    Net to = place_for(from.slab.header(), nn::measured_spec(kernels(), workspace, from.slab,
                                                             c.operation, here(table(), c.spec)));
    fetched = 0;
    nn::reshape(counting_kernels(), workspace, from.slab, c.operation, here(table(), c.spec), 1,
                to.slab);
    const bool moves = std::ranges::find(moved, c.name) != moved.end();
    if (moves) {
      EXPECT_EQ(fetched, sizeof(nn::SlabState));
    }
    // The state, the readers' weights, and what 208 rows are to a layer.
    EXPECT_LT(fetched, from.slab.bytes().size() + 208 * 36 * 3 * sizeof(float));
  }
}

TEST(ReshapeOnDevice, DropsWhatDoesNothing) {
  const nn::ModelSpec spec = nn::complete(nn_test::mlp(36, {24, 16}, 3));
  const Rows rows(table());
  nn::Workspace workspace;
  const nn::ParamSlab net = trained(spec);
  const nn::DataView view = rows.view(spec);
  for (const char* form : {"residual", "identity"}) {
    const Net deep = reshaped_there(Net(net), {"deepen", "dense1", {{"form", std::string(form)}}},
                                    view, workspace);
    const std::string added = deep.slab.spec().layers[1].name;
    const Net back = reshaped_there(deep, {"drop", added, {{"exact", true}}}, view, workspace);
    EXPECT_EQ(back.slab.spec(), spec);
    EXPECT_TRUE(std::ranges::equal(back.back().weights(), net.weights())) << form;
  }
  EXPECT_THROW(
      (void)reshaped_there(Net(net), {"drop", "dense2", {{"exact", true}}}, view, workspace),
      base::Error);
}

void tidies_copies_away(const nn::ModelSpec& spec, const std::string& layer) {
  SCOPED_TRACE(nn::describe(spec) + ", " + layer);
  nn::Workspace workspace, host;
  const nn::DataView view = here(table(), spec);
  const nn::ParamSlab wide =
      nn::reshape(cpu(), host, trained(spec), widen(layer, "replicate"), view, 1);
  const nn::Operation tidy{"tidy", layer, {}};
  const nn::ParamSlab wanted = nn::reshape(cpu(), host, wide, tidy, view, 1);
  ASSERT_EQ(wanted.spec(), spec);
  expect_equal(wanted, reshaped_there(Net(wide), tidy, view, workspace).back(), false);
}

TEST(ReshapeOnDevice, TidiesCopiesAwayWithTheirSlots) {
  for (const nn::ModelSpec& spec :
       {nn_test::mlp(36, {24, 16}, 3), nn_test::residual(36, 12, 3), nn_test::assorted(3, 3)}) {
    const nn::ModelSpec whole = nn::complete(spec);
    for (const std::string& layer : nn::resizable_layers(whole)) tidies_copies_away(whole, layer);
  }
}

TEST(ReshapeOnDevice, GoesOnFromWhatItMade) {
  const nn::ModelSpec spec = nn::complete(nn_test::residual(36, 12, 3));
  nn::Workspace workspace, host;
  nn::ParamSlab wanted = trained(spec);
  auto there = std::make_unique<Net>(wanted);
  for (const std::string& layer : nn::resizable_layers(spec)) {
    for (const nn::Operation& operation :
         {widen(layer, "random"), shrink(layer, "weights", false), widen(layer, "pair")}) {
      SCOPED_TRACE(nn::describe(operation));
      const nn::DataView view = here(table(), wanted.spec());
      wanted = nn::reshape(cpu(), host, wanted, operation, view, 1);
      there = std::make_unique<Net>(reshaped_there(*there, operation, view, workspace));
      expect_equal(wanted, there->back(), false);
    }
  }
}

TEST(ReshapeOnDevice, ANetworkThatWasNotAskedForIsRefused) {
  const nn::ModelSpec spec = nn::complete(nn_test::mlp(36, {24, 16}, 3));
  const Net net(trained(spec));
  nn::Workspace workspace;
  Net same = place_for(net.slab.header(), spec);
  EXPECT_THROW(nn::reshape(kernels(), workspace, net.slab, widen("dense1", "fresh"),
                           here(table(), spec), 1, same.slab),
               base::Error);
}

TEST(ReshapeOnDevice, NormsOfUnitsAreThoseOfTheProcessor) {
  const nn::ParamSlab net = trained(nn::complete(nn_test::assorted(3, 3)));
  const auto wanted = nn::unit_norms(cpu(), net);
  const auto there = nn::unit_norms(kernels(), Net(net).slab);
  ASSERT_EQ(there.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(there[i].layer, wanted[i].layer);
    ASSERT_EQ(there[i].norms.size(), wanted[i].norms.size());
    for (std::size_t u = 0; u < wanted[i].norms.size(); ++u)
      EXPECT_NEAR(there[i].norms[u], wanted[i].norms[u], 1e-5 * wanted[i].norms[u]);
  }
}

TEST(ReshapeOnDevice, StatisticsOfUnitsAreThoseOfTheProcessor) {
  for (const nn::ModelSpec& spec :
       {nn::complete(nn_test::mlp(36, {24, 16}, 3)), nn::complete(nn_test::assorted(3, 3))}) {
    const nn::ParamSlab net = trained(spec);
    const nn::DataView view = here(table(), spec);
    nn::Workspace host, workspace;
    const auto wanted = nn::unit_statistics(cpu(), host, net, view);
    const auto there = nn::unit_statistics(kernels(), workspace, Net(net).slab, view);
    const auto expect_near = [](const std::vector<double>& a, const std::vector<double>& b) {
      ASSERT_EQ(a.size(), b.size());
      double most = 0;
      for (const double value : b) most = std::max(most, std::abs(value));
      for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-3 * most);
    };
    ASSERT_EQ(there.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(there[i].layer, wanted[i].layer);
      expect_near(there[i].mean, wanted[i].mean);
      expect_near(there[i].spread, wanted[i].spread);
      expect_near(there[i].gradient, wanted[i].gradient);
      expect_near(there[i].room, wanted[i].room);
    }
  }
}

std::size_t memory_left() {
  std::size_t left = 0, all = 0;
  kern::test::device().memory_left(left, all);
  return left;
}

/// Bytes of the device that a reshape takes beside a block that it is lent.
std::size_t taken_beside(std::size_t bytes, const Net& net, const nn::Operation& operation,
                         const nn::DataView& view) {
  nn::Workspace other, workspace;
  Net to = reshaped_there(net, operation, view, other);  // partial sums have their memory now
  const There block(bytes);
  const nn::Workspace::Lease lease(workspace, memory(), {block.at(), bytes});
  if (view.resident == nullptr) {
    const auto rows = static_cast<std::size_t>(nn::evaluate_rows(memory(), net.slab.spec()));
    (void)workspace.arena(nn::TableFeed::bytes_staged(nn::feed_shape(view), rows),
                          *kern::feed_of(memory()).staging);
  }
  const std::size_t left = memory_left();
  nn::reshape(kernels(), workspace, net.slab, operation, view, 1, to.slab);
  return left - memory_left();
}

TEST(ReshapeOnDevice, WhatIsAnnouncedIsAllThatItTakes) {
  const Rows rows(table());
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const nn::DataView brought = here(table(), c.spec);
    const std::size_t own = nn::reshaping_memory(kern::device_plans(), c.spec, c.operation);
    const std::size_t feed =
        nn::scoring_feed(*kern::device_plans().memory, c.spec, nn::feed_shape(brought));
    const Net net(trained(c.spec));
    EXPECT_EQ(taken_beside(own, net, c.operation, rows.view(c.spec)), 0U);
    EXPECT_EQ(taken_beside(own + feed, net, c.operation, brought), 0U);
    // CUDA deals out pages of two MiB, in which little is nothing.
    if (nn::needs_data(c.operation) && !kern::test::on_gpu()) {
      EXPECT_GT(taken_beside(64, net, c.operation, rows.view(c.spec)), 0U);
    }
  }
}

TEST(ReshapeOnDevice, AThousandTakeNoMemoryForGood) {
  const Table few(20, 8, 3);
  const Rows rows(few);
  const nn::Hyper h = hyper("adam", {{"lr", 1e-3}}, 20);
  nn::Workspace workspace;
  auto net = std::make_unique<Net>(fresh(nn_test::mlp(8, {8}, 3), h));
  const nn::ModelSpec narrow = net->slab.spec();
  std::size_t left = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool grows = i % 2 == 0;
    const nn::Operation operation{grows ? "widen" : "shrink", "dense1", {{"by", n(4)}}};
    const nn::ModelSpec spec = net->slab.spec();
    net = std::make_unique<Net>(reshaped_there(*net, operation, rows.view(spec), workspace));
    (void)nn::train_steps(kernels(), workspace, net->slab, rows.view(net->slab.spec()), h,
                          {i, i + 1});
    if (i == 11) left = memory_left();
    if (i % 2 == 1) {
      EXPECT_EQ(net->slab.spec(), narrow);
    }
  }
  EXPECT_EQ(memory_left(), left);
}

}  // namespace
