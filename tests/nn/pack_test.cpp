// Networks that train in turn on the same batches: each as if it were alone, to the bit.
#include "nn/training/pack.h"
#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <deque>
#include <vector>

#include "nn/model/init.h"
#include "tests/nn/layer_cases.h"
#include "tests/nn/nets.h"

namespace {

const kern::Kernels<float>& cpu() {
  kern::prepare_thread();
  return kern::cpu_kernels();
}

nn::ParamSlab fresh(const nn::ModelSpec& spec, const nn::Hyper& h, std::uint64_t seed) {
  nn::ParamSlab slab(nn::slab_header(spec, h.optimizer));
  nn::init_weights(slab, seed);
  return slab;
}

/// What differs within a pack: optimizers, rates, schedules, and whether all goes well.
std::vector<nn::Hyper> hypers() {
  using nn_test::hyper;
  std::vector<nn::Hyper> all{hyper("adam", {{"lr", 0.01}}),
                             hyper("sgd", {{"lr", 0.05}, {"momentum", 0.9}}),
                             hyper("sgd", {{"lr", 1e30}}),  // diverges
                             hyper("adamw", {{"lr", 0.002}}), hyper("rmsprop", {{"lr", 0.003}})};
  all[3].lr = {{.begin = 0, .end = 3, .first = 0.02, .last = 0.001, .shape = nn::LrShape::linear}};
  all[4].clip = 0.05;
  return all;
}

/// Also where the loss is no number.
bool same(nn::TrainStats a, nn::TrainStats b) {
  const bool same_loss =
      std::bit_cast<std::uint64_t>(a.loss) == std::bit_cast<std::uint64_t>(b.loss);
  a.loss = b.loss = 0;
  return same_loss && a == b;
}

/// Networks in a pack, and what came of them.
class Pack {
 public:
  Pack(const nn::ModelSpec& spec, std::vector<nn::Hyper> of) : hypers_(std::move(of)) {
    for (std::size_t i = 0; i < hypers_.size(); ++i)
      nets_.push_back(fresh(spec, hypers_[i], i + 1));
    stats.resize(nets_.size());
  }

  /// Trains all; `word(network, step)` is asked before each step. Those that leave go on alone
  /// afterwards.
  template <class Word>
  void train(const nn::DataView& view, const nn::Segment& segment, Word word) {
    std::vector<nn::PackNet> members;
    std::vector<std::int64_t> steps(nets_.size());
    std::vector<nn::PackNet> left;
    for (std::size_t i = 0; i < nets_.size(); ++i) members.push_back(member(i));
    for (std::size_t i = 0; i < nets_.size(); ++i) {
      members[i].next = [&, i] { return word(i, steps[i]++); };
      members[i].left = [&, i](const nn::Tally& tally) {
        left.push_back(member(i));
        left.back().tally = tally;
      };
    }
    nn::train_pack(cpu(), workspace_, view, segment, members);
    for (nn::PackNet& one : left) {
      nn::Workspace other;
      one.next = [] { return nn::PackWord::go_on; };
      nn::train_pack(cpu(), other, view, segment, {&one, 1});
    }
  }
  void train(const nn::DataView& view, const nn::Segment& segment) {
    train(view, segment, [](std::size_t, std::int64_t) { return nn::PackWord::go_on; });
  }

  void expect_as_alone(const nn::ModelSpec& spec, const nn::DataView& view,
                       const std::vector<nn::Segment>& segments) {
    for (std::size_t i = 0; i < nets_.size(); ++i) {
      SCOPED_TRACE(i);
      nn::ParamSlab alone = fresh(spec, hypers_[i], i + 1);
      nn::Workspace workspace;
      nn::TrainStats last;
      for (const nn::Segment& segment : segments)
        last = nn::train_steps(cpu(), workspace, alone, view, hypers_[i], segment);
      EXPECT_TRUE(same(stats[i], last));
      EXPECT_TRUE(std::ranges::equal(nets_[i].bytes(), alone.bytes()));
    }
  }

  std::vector<nn::TrainStats> stats;

 private:
  nn::PackNet member(std::size_t i) {
    nn::PackNet one{.net = &nets_[i], .hyper = &hypers_[i]};
    one.ended = [this, i](const nn::TrainStats& of) { stats[i] = of; };
    return one;
  }

  std::vector<nn::Hyper> hypers_;
  std::deque<nn::ParamSlab> nets_;
  nn::Workspace workspace_;
};

TEST(Pack, EachNetworkIsWhatItWouldBeAloneWithAnyLayer) {
  for (const nn::Layer* kind : nn::layers()) {
    for (const nn::LayerExample& example : kind->examples()) {
      const nn::LayerSpec layer = nn::layer(kind->info().kind, "probed", example.fields);
      const nn::ModelSpec spec =
          nn::with_output({example.input, nn_test::with_context(example, layer)}, 3);
      SCOPED_TRACE(nn::describe(spec));
      nn_test::Table table(40, static_cast<std::int32_t>(spec.input.elements()), 3);
      table.shape = spec.input;
      const nn::DataView view = table.view();
      Pack pack(spec, hypers());
      pack.train(view, {0, 2});
      pack.expect_as_alone(spec, view, {{0, 2}});
    }
  }
}

TEST(Pack, OneMayLeaveAtAnyStepAndGoOn) {
  const nn_test::Table table(50, 36, 3);
  const nn::ModelSpec spec = nn_test::assorted(2, 3);
  for (std::int64_t boundary = 0; boundary <= 8; ++boundary) {
    Pack pack(spec, hypers());
    pack.train(table.view(), {0, 2}, [&](std::size_t net, std::int64_t step) {
      return net % 2 == 0 && step == boundary ? nn::PackWord::leave : nn::PackWord::go_on;
    });
    pack.expect_as_alone(spec, table.view(), {{0, 2}});
  }
}

TEST(Pack, OneMayBeStopped) {
  const nn_test::Table table(50, 12, 3);
  const nn::ModelSpec spec = nn_test::normed(12, 20, 3);
  Pack pack(spec, hypers());
  pack.train(table.view(), {1, 3}, [&](std::size_t net, std::int64_t step) {
    return net == 0 && step == 3 ? nn::PackWord::stop : nn::PackWord::go_on;
  });
  EXPECT_TRUE(pack.stats[0].stopped);
  EXPECT_EQ(pack.stats[0].steps, 3);
  EXPECT_TRUE(pack.stats[2].diverged);
  EXPECT_EQ(pack.stats[3].steps, 8);
}

TEST(Pack, RefusesWhatIsNoPack) {
  const nn_test::Table table(50, 12, 3);
  nn::Workspace workspace;
  const nn::Hyper h = nn_test::hyper("adam", {}), sharded = nn_test::hyper("adam", {}, 16, 2);
  nn::ParamSlab one = fresh(nn_test::mlp(12, {20}, 3), h, 1),
                other = fresh(nn_test::mlp(12, {21}, 3), h, 1);
  const auto train = [&](std::vector<nn::PackNet> nets) {
    nn::train_pack(cpu(), workspace, table.view(), {0, 1}, nets);
  };
  EXPECT_THROW(train({{.net = &one, .hyper = &h}, {.net = &other, .hyper = &h}}), base::Error);
  EXPECT_THROW(train({{.net = &one, .hyper = &sharded}}), base::Error);
  EXPECT_EQ(one.state().steps, 0);
}

}  // namespace
