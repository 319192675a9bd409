// Losses beyond their gradients: class weights, what they are for, and clipping.

#include "nn/losses/loss.h"
#include "base/error.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "nn/error.h"
#include "nn/model/init.h"
#include "nn/training/train.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::hyper;
using nn_test::Table;

const kern::Kernels<float>& cpu() {
  kern::prepare_thread();
  return kern::cpu_kernels();
}

nn::Choice weighted(const std::string& kind, const nn::FieldValue& weights) {
  return {kind, nn::complete(nn::loss_kind(kind), {{"class_weights", weights}}, "test")};
}

/// Six rows of three classes, the last two of them not in the training part.
struct Labels {
  std::vector<std::int32_t> labels{0, 0, 0, 2, 1, 2};
  std::vector<std::uint32_t> training{0, 1, 2, 3};
  std::vector<std::string> names{"ant", "bee", "cat"};
  [[nodiscard]] nn::DataView view() const {
    return {.labels = labels.data(),
            .outputs = 3,
            .rows = training,
            .training = training,
            .class_names = names};
  }
};

std::string error(const nn::Choice& loss, const nn::DataView& view) {
  try {
    (void)nn::class_weights(loss, view);
  } catch (const base::Error& e) {
    return e.what();
  }
  return "";
}

TEST(ClassWeights, BalancedFollowTheTrainingPart) {
  const Labels data;
  // 4 rows of 2 classes that have any: 3 of ant, 1 of cat.
  EXPECT_EQ(nn::class_weights(weighted("cross_entropy", "balanced"), data.view()),
            (std::vector<float>{4.0F / 6, 1, 2}));
  EXPECT_TRUE(nn::class_weights(weighted("cross_entropy", "none"), data.view()).empty());
}

TEST(ClassWeights, ListedGoByName) {
  const Labels data;
  const nn::NumberByName listed{{"cat", 5}, {"ant", 0.5}};
  EXPECT_EQ(nn::class_weights(weighted("cross_entropy", listed), data.view()),
            (std::vector<float>{0.5, 1, 5}));
  EXPECT_EQ(error(weighted("cross_entropy", nn::NumberByName{{"dog", 1}}), data.view()),
            "class_weights: the target has no class dog");
}

TEST(ClassWeights, FieldsSayWhatIsAllowed) {
  const auto refusal = [](const nn::FieldValue& value) {
    try {
      (void)weighted("cross_entropy", value);
    } catch (const nn::SpecError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("balancd"),
            "test: class_weights must be none or balanced, or a map from names to numbers at least "
            "0 and at most 1000000, not balancd; did you mean balanced?");
  EXPECT_EQ(refusal(nn::NumberByName{{"a", -1}}),
            "test: class_weights must be none or balanced, or a map from names to numbers at least "
            "0 and at most 1000000, not {a: -1}");
}

TEST(ClassWeights, MakeARareClassCount) {
  // The rule puts few rows into class 0; weights make up for it in the training loss' optimum.
  Table table(600, 4, 2, 3);
  for (std::size_t i = 0; i < table.labels.size(); ++i)
    table.labels[i] = table.x[i * 4] + 0.8F * table.x[i * 4 + 1] > 0.9F ? 0 : 1;
  nn::DataView view = table.view();
  view.training = view.rows;
  const auto found = [&](const nn::FieldValue& weights) {
    nn::Hyper h = hyper("adam", {{"lr", 0.01}}, 32);
    h.loss = weighted("cross_entropy", weights);
    nn::ParamSlab net(nn::slab_header(nn_test::mlp(4, {}, 2), h.optimizer));
    nn::init_weights(net, 1);
    nn::Workspace workspace;
    (void)nn::train_steps(cpu(), workspace, net, view, h, {0, 8});
    std::vector<float> out(table.labels.size() * 2);
    nn::predict(cpu(), workspace, net, view, out);
    int hits = 0;
    for (std::size_t i = 0; i < table.labels.size(); ++i)
      hits += table.labels[i] == 0 && out[2 * i] > out[2 * i + 1] ? 1 : 0;
    return hits;
  };
  EXPECT_GT(found("balanced"), found("none"));
}

TEST(Bce, LearnsATwoClassRuleWithOneOutput) {
  const Table table(400, 6, 2);
  nn::Hyper h = hyper("adam", {{"lr", 0.02}}, 32, 1, "bce");
  EXPECT_EQ(nn::outputs_for("bce", 2), 1);
  nn::ParamSlab net(nn::slab_header(nn_test::mlp(6, {8}, 1), h.optimizer));
  nn::init_weights(net, 1);
  nn::Workspace workspace;
  (void)nn::train_steps(cpu(), workspace, net, table.view(), h, {0, 20});
  const nn::Scores scores = nn::evaluate(cpu(), workspace, net, table.view(), h.loss);
  EXPECT_GT(scores.accuracy, 0.95);
  EXPECT_EQ(scores.rows, 400);
}

TEST(Bce, IsForTwoClasses) {
  EXPECT_THROW((void)nn::outputs_for("bce", 3), nn::SpecError);
  const Table table(20, 6, 3);
  nn::Hyper h = hyper("adam", {}, 8, 1, "bce");
  nn::ParamSlab net(nn::slab_header(nn_test::mlp(6, {8}, 1), h.optimizer));
  nn::Workspace workspace;
  EXPECT_THROW((void)nn::train_steps(cpu(), workspace, net, table.view(), h, {0, 1}), base::Error);
}

/// The change that one step of plain gradient descent makes, as one long vector.
std::vector<double> step_of(const nn::Hyper& h, const Table& table) {
  nn::ParamSlab net(nn::slab_header(nn_test::mlp(6, {9}, 3), h.optimizer));
  nn::init_weights(net, 2);
  const std::vector<float> before(net.weights().begin(), net.weights().end());
  nn::Workspace workspace;
  (void)nn::train_steps(cpu(), workspace, net, table.view(), h, {0, 1});
  std::vector<double> out;
  for (std::size_t i = 0; i < before.size(); ++i)
    out.push_back(static_cast<double>(net.weights()[i]) - static_cast<double>(before[i]));
  return out;
}

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

TEST(Clip, ShortensTheSummedGradientAndKeepsItsDirection) {
  const Table table(24, 6, 3);
  for (const int shards : {1, 4}) {
    nn::Hyper h = hyper("sgd", {{"lr", 1.0}}, 24, shards);
    const auto free = step_of(h, table);
    const double length = norm(free);
    h.clip = length / 4;
    const auto clipped = step_of(h, table);
    EXPECT_NEAR(norm(clipped), length / 4, 1e-5 * length);
    for (std::size_t i = 0; i < free.size(); ++i) EXPECT_NEAR(clipped[i], free[i] / 4, 1e-6);
    h.clip = 2 * length;
    EXPECT_EQ(step_of(h, table), free);
  }
}

}  // namespace
