// Units that training pulled to 0 and a policy removes: the proximal step, when it holds, whom it
// hits, and what is left of an easy and of a hard task.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "nn/adapt/policy.h"
#include "nn/error.h"
#include "nn/model/init.h"
#include "nn/reshape/reshape.h"
#include "nn/training/group_lasso.h"
#include "nn/training/train.h"
#include "tests/nn/reshape/support.h"

namespace nn {
namespace {

using nn_test::n;

Adaptation prune(const Fields& fields = {}) {
  return complete(Adaptation{.policy = {"prune", fields}, .at = {}, .command = {}});
}

std::unique_ptr<Policy> make(const ModelSpec& spec, const Fields& fields = {},
                             std::int64_t epochs = 10) {
  const Adaptation adaptation = prune(fields);
  return make_policy({.adaptation = adaptation, .spec = spec, .epochs = epochs});
}

ModelSpec mlp() { return complete(nn_test::mlp(10, {8, 4}, 3)); }

template <class T>
Net<T> pulled(Net<T> net, double share) {
  GroupLasso<T> lasso(net.spec());
  kern::Exec exec;
  lasso.pull(reshape_test::kernels_of<T>(), exec, share, net.copy(0).data());
  return net;
}

template <class T>
void units_lose_a_share_of_the_mean(const ModelSpec& spec) {
  const Net<T> net = reshape_test::random_net<T>(spec, "sgd", 0, 3);
  const auto groups = unit_numbers(spec);
  // Neighbouring groups share weights, so one alone is needed to see what a step does.
  if (groups.size() == 1) {
    const auto were = norms_of(reshape_test::kernels_of<T>(), groups[0], net.copy(0).data());
    const auto are =
        norms_of(reshape_test::kernels_of<T>(), groups[0], pulled(net, 0.9).copy(0).data());
    double mean = 0;
    for (const double norm : were) mean += norm / static_cast<double>(were.size());
    for (std::size_t u = 0; u < were.size(); ++u)
      EXPECT_NEAR(are[u], std::max(0.0, were[u] - 0.9 * mean), 1e-5);
  }
  const Net<T> gone = pulled(net, 1e9);
  for (const UnitNumbers& group : groups) {
    for (const double norm : norms_of(reshape_test::kernels_of<T>(), group, gone.copy(0).data()))
      EXPECT_EQ(norm, 0);
  }
}

TEST(GroupLasso, TakesTheSameFromEachUnitDownToZero) {
  for (const ModelSpec& spec :
       {complete(nn_test::mlp(6, {7}, 3)), mlp(), complete(nn_test::lenet(3, 4, 6)),
        complete(nn_test::normed(5, 6, 3)), complete(nn_test::residual(5, 4, 3))}) {
    SCOPED_TRACE(describe(spec));
    units_lose_a_share_of_the_mean<double>(spec);
    units_lose_a_share_of_the_mean<float>(spec);
  }
}

TEST(GroupLasso, LeavesOutputsAndRunningStatisticsAlone) {
  const ModelSpec spec = complete(nn_test::normed(5, 6, 3));
  const Net<double> before = reshape_test::random_net<double>(spec, "sgd", 0, 3);
  const Net<double> net = pulled(before, 1e9);
  for (const ParamTensor& tensor : net.layout.tensors) {
    const bool kept = !trained(tensor.role) || tensor.name == "output.bias";
    for (std::size_t i = 0; i < tensor.count; ++i) {
      const double was = before.copy(0)[tensor.offset + i];
      EXPECT_EQ(net.copy(0)[tensor.offset + i], kept ? was : 0) << tensor.name;
    }
  }
}

TEST(UnitNorms, CoverEveryNumberOfAUnitInAResidualSum) {
  const ModelSpec spec = complete(nn_test::residual(5, 4, 3));
  const auto groups = unit_numbers(spec);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].layer, "stem");
  EXPECT_EQ(groups[0].units, 4U);
  // stem: 5 weights and a bias; fc2: 8 weights and a bias; read by fc1 (8) and the output (3).
  EXPECT_EQ(groups[0].size, 5U + 1 + 8 + 1 + 8 + 3);
  EXPECT_EQ(groups[1].size, 4U + 1 + 4);
  // A removed unit takes all its numbers along.
  const auto smaller = weight_count(reshaped(spec, {"shrink", "stem", {{"by", n(1)}}}));
  EXPECT_EQ(weight_count(spec) - smaller, groups[0].size);
}

/// Trains as a trial with the policy does, and returns the network and the rounds' words.
struct Pruned {
  ParamSlab net;
  std::vector<std::string> why;
};

Pruned trained_with(const ModelSpec& spec, const nn_test::Table& table, const Hyper& given,
                    const Fields& fields, std::int64_t epochs) {
  kern::prepare_thread();
  const kern::Kernels<float>& cpu = kern::cpu_kernels();
  Workspace workspace;
  Hyper hyper = given;
  const auto policy = make(spec, fields, epochs);
  hyper.penalty = policy->penalty();
  hyper.penalty.strength /= real(hyper.optimizer.fields, "lr");
  Pruned out{ParamSlab(slab_header(spec, hyper.optimizer)), {}};
  init_weights(out.net, 11);
  std::int64_t now = 0;
  while (const auto at = policy->next(now)) {
    if (*at >= epochs * policy->grid()) break;
    (void)train_steps(cpu, workspace, out.net, table.view(), hyper, {now, *at, policy->grid()});
    now = *at;
    const auto norms = unit_norms(cpu, out.net);
    const Turn turn =
        policy->turn({.now = now, .spec = out.net.spec(), .losses = {}, .norms = norms});
    if (turn.candidates.empty()) continue;
    for (const Operation& operation : turn.candidates.front())
      out.net = reshape(cpu, workspace, out.net, operation, table.view(), 5);
    out.why.push_back(turn.why);
    policy->told({.from = now, .until = now, .candidates = {}});
  }
  (void)train_steps(cpu, workspace, out.net, table.view(), hyper,
                    {now, epochs * policy->grid(), policy->grid()});
  return out;
}

double accuracy(const ParamSlab& net, const nn_test::Table& table, const Hyper& hyper) {
  Workspace workspace;
  return evaluate(kern::cpu_kernels(), workspace, net, table.view(), hyper.loss).accuracy;
}

std::int64_t units(const ParamSlab& net) {
  std::int64_t out = 0;
  for (const UnitNorms& layer : unit_norms(kern::cpu_kernels(), net))
    out += std::ssize(layer.norms);
  return out;
}

TEST(Prune, AnEasyTaskEndsSmallAndAHardOneKeepsMore) {
  for (const Hyper& hyper :
       {nn_test::hyper("adam", {{"lr", 0.003}}), nn_test::hyper("sgd", {{"lr", 0.1}})}) {
    SCOPED_TRACE(hyper.optimizer.kind);
    const nn_test::Table easy(600, 12, 2), hard(600, 12, 10);
    const Fields fields{{"strength", 0.2}, {"until", n(20)}};
    const Pruned few = trained_with(complete(nn_test::mlp(12, {48}, 2)), easy, hyper, fields, 30);
    const Pruned many = trained_with(complete(nn_test::mlp(12, {48}, 10)), hard, hyper, fields, 30);
    EXPECT_LE(units(few.net), 16);
    EXPECT_GE(units(many.net), units(few.net) + 4);
    EXPECT_GT(accuracy(few.net, easy, hyper), 0.95);
    EXPECT_GT(accuracy(many.net, hard, hyper), 0.85);
    EXPECT_FALSE(few.why.empty());
    EXPECT_NE(few.why.front().find("units of dense1"), std::string::npos) << few.why.front();
  }
}

TEST(Prune, WorksOnConvolutionsBatchNormsAndResidualSums) {
  const ModelSpec image = [] {
    ModelSpec spec{.input = Shape::image(6, 6, 1), .layers = {}};
    const Fields conv{{"units", n(6)}, {"padding", "same"}, {"activation", "none"}};
    spec.layers = {{"conv2d", "c1", conv},
                   {"batch_norm", "bn1", {{"activation", "relu"}}},
                   {"residual_begin", "block", {}},
                   {"conv2d", "c2", conv},
                   {"batch_norm", "bn2", {}},
                   {"residual_end", "", {{"activation", "relu"}}},
                   {"max_pool", "pool", {}},
                   {"flatten", "flat", {}},
                   {"dense", "fc", {{"units", n(8)}}}};
    return with_output(spec, 2);
  }();
  const nn_test::Table table(300, 36, 2);
  const Hyper hyper = nn_test::hyper("adam", {{"lr", 0.005}});
  const Fields fields{{"strength", 0.1}, {"threshold", 0.3}, {"until", n(12)}, {"keep", 2.0}};
  const Pruned pruned = trained_with(complete(image), table, hyper, fields, 18);
  EXPECT_FALSE(pruned.why.empty());
  EXPECT_LT(units(pruned.net), 14);
  for (const UnitNorms& layer : unit_norms(kern::cpu_kernels(), pruned.net))
    EXPECT_GE(layer.norms.size(), 2U);
  EXPECT_GT(accuracy(pruned.net, table, hyper), 0.9);
}

TEST(Prune, RemovesWhatIsAtMostAShareOfTheMean) {
  const ModelSpec spec = mlp();
  const auto policy = make(spec, {{"threshold", 0.5}});
  const std::vector<UnitNorms> norms{{"dense1", {4, 4, 4, 0, 4, 0, 4, 4}},
                                     {"dense2", {1, 0.25, 2, 2}}};
  const Turn turn = policy->turn({.now = 1, .spec = spec, .losses = {}, .norms = norms});
  ASSERT_EQ(turn.candidates.size(), 1U);
  ASSERT_EQ(turn.candidates[0].size(), 2U);
  const Operation &last = turn.candidates[0][0], &first = turn.candidates[0][1];
  EXPECT_EQ(last.layer, "dense2") << "last to first";
  EXPECT_EQ(integer(last.fields, "by"), 1);
  EXPECT_TRUE(boolean(last.fields, "refit"));
  EXPECT_EQ(integer(first.fields, "by"), 2);
  EXPECT_FALSE(boolean(first.fields, "refit")) << "units at 0 take nothing along";
  EXPECT_EQ(turn.why,
            "1 of 4 units of dense2, 2 of 8 units of dense1 at 0: at most 0.5 times their layer's "
            "mean norm");
}

TEST(Prune, KeepsWhatKeepSays) {
  const ModelSpec spec = mlp();
  const std::vector<UnitNorms> norms{{"dense1", {9, 0, 0, 0, 0, 0, 0, 0}},
                                     {"dense2", {1, 1, 1, 1}}};
  const auto by = [&](double keep) -> std::int64_t {
    const auto policy = make(spec, {{"keep", keep}});
    const Turn turn = policy->turn({.now = 1, .spec = spec, .losses = {}, .norms = norms});
    return turn.candidates.empty() ? 0 : integer(turn.candidates[0][0].fields, "by");
  };
  EXPECT_EQ(by(1), 7);
  EXPECT_EQ(by(3), 5);
  EXPECT_EQ(by(0.5), 4);
  EXPECT_EQ(by(0.8), 1);
  for (const double all : {0.99, 8.0}) EXPECT_THROW((void)make(spec, {{"keep", all}}), SpecError);
  EXPECT_THROW((void)make(complete(nn_test::mlp(4, {}, 2))), SpecError);
}

TEST(Prune, HasItsTurnsUntilItsEnd) {
  const auto policy = make(mlp(), {{"every", 0.5}, {"from", 2.0}, {"until", n(3)}});
  EXPECT_EQ(policy->next(0), 4);
  policy->told({.from = 4, .until = 4, .candidates = {}});
  EXPECT_EQ(policy->next(4), 5);
  EXPECT_EQ(policy->next(6), 6);
  EXPECT_EQ(policy->next(7), std::nullopt);
  EXPECT_EQ(policy->penalty(), (UnitPenalty{.strength = 0.1, .until = 3}));
}

TEST(Penalty, IsPartOfASegmentWhereItHolds) {
  Hyper hyper = nn_test::hyper("sgd", {{"lr", 0.1}});
  const Hyper without = hyper;
  hyper.penalty = {.strength = 2, .until = 3};
  EXPECT_EQ(hyper_on(hyper, {0, 3, 1}).penalty, (UnitPenalty{.strength = 2}));
  EXPECT_EQ(hyper_on(hyper, {0, 4, 1}).penalty, (UnitPenalty{.strength = 2, .until = 3}));
  EXPECT_EQ(hyper_on(hyper, {6, 8, 2}), hyper_on(without, {6, 8, 2}));
  EXPECT_EQ(hyper_on(hyper, {5, 7, 2}).penalty, (UnitPenalty{.strength = 2, .until = 3}));
}

TEST(Penalty, GivesTheSameBitsHoweverATrainingIsCut) {
  const nn_test::Table table(90, 6, 3);
  Hyper hyper = nn_test::hyper("adam", {{"lr", 0.01}});
  hyper.penalty = {.strength = 20, .until = 2};
  const ModelSpec spec = complete(nn_test::mlp(6, {8}, 3));
  const auto train = [&](const std::vector<std::int64_t>& boundaries, const Hyper& given) {
    kern::prepare_thread();
    Workspace workspace;
    ParamSlab net(slab_header(spec, given.optimizer));
    init_weights(net, 11);
    std::int64_t from = 0;
    for (const std::int64_t to : boundaries) {
      const Segment segment{std::exchange(from, to), to, 2};
      (void)train_steps(kern::cpu_kernels(), workspace, net, table.view(), hyper_on(given, segment),
                        segment);
    }
    return std::vector<std::byte>(net.bytes().begin(), net.bytes().end());
  };
  const auto whole = train({8}, hyper);
  EXPECT_EQ(train({1, 3, 4, 5, 8}, hyper), whole);
  EXPECT_EQ(train({3, 8}, hyper), whole);
  hyper.penalty = {};
  EXPECT_NE(train({8}, hyper), whole);
}

}  // namespace
}  // namespace nn
