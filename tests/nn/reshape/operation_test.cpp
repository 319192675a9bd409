// Operations as values: what they take, what they refuse and in which words.

#include "nn/reshape/operation.h"

#include <gtest/gtest.h>

#include "tests/nn/nets.h"

namespace {

using nn_test::mlp;
using nn_test::n;

std::string refusal(const nn::ModelSpec& spec, const nn::Operation& operation) {
  try {
    (void)nn::reshaped(spec, operation);
  } catch (const nn::SpecError& e) {
    return e.what();
  }
  return "";
}

TEST(Operation, GivesTheSpecAfterwards) {
  const nn::ModelSpec spec = mlp(4, {5, 6}, 3);
  EXPECT_EQ(nn::reshaped(spec, {"widen", "dense1", {{"by", n(3)}}}), mlp(4, {8, 6}, 3));
  EXPECT_EQ(nn::reshaped(spec, {"widen", "dense2", {{"to", n(9)}}}), mlp(4, {5, 9}, 3));
  EXPECT_EQ(nn::resizable_layers(spec), (std::vector<std::string>{"dense1", "dense2"}));
}

TEST(Operation, SaysWhyItCannotBeDone) {
  const nn::ModelSpec spec = mlp(4, {5, 6}, 3), conv = nn_test::lenet(2, 3, 4);
  EXPECT_EQ(refusal(spec, {"wide", "dense1", {}}), "unknown operation wide; did you mean widen?");
  EXPECT_EQ(refusal(spec, {"widen", "", {}}), "widen: expected the name of a layer");
  EXPECT_EQ(refusal(spec, {"widen", "dens1", {{"by", n(1)}}}),
            "widen dens1: no layer is called \"dens1\"; did you mean dense1?");
  EXPECT_EQ(refusal(spec, {"widen", "dense1", {}}), "widen dense1: expected either by or to");
  EXPECT_EQ(refusal(spec, {"widen", "dense1", {{"by", n(1)}, {"to", n(9)}}}),
            "widen dense1: expected either by or to");
  EXPECT_EQ(refusal(spec, {"widen", "dense1", {{"to", n(5)}}}),
            "widen dense1: expected more than its 5 units, not 5");
  EXPECT_EQ(refusal(spec, {"widen", "output", {{"by", n(1)}}}),
            "widen output: its units are the network's outputs");
  EXPECT_EQ(refusal(conv, {"widen", "flat", {{"by", n(1)}}}),
            "widen flat: a flatten layer has no units of its own; its units are those of c2");
}

TEST(Operation, RefusesWhatARuleOrAScoreNeeds) {
  const nn::ModelSpec spec = mlp(4, {5, 6}, 3), conv = nn_test::lenet(2, 3, 4);
  EXPECT_EQ(refusal(spec, {"widen", "dense1", {{"by", n(3)}, {"rule", "pair"}}}),
            "widen dense1: the rule pair adds an even number of units, not 3");
  EXPECT_EQ(refusal(conv, {"widen", "c1", {{"by", n(3)}, {"rule", "gradmax"}}}),
            "widen c1: the rule gradmax needs a dense layer with one right after it");
  EXPECT_EQ(refusal(spec, {"widen", "dense1", {{"by", n(3)}, {"noise", 0.1}}}),
            "widen dense1: noise belongs to the rule replicate, not to fresh");
  EXPECT_EQ(refusal(spec, {"shrink", "dense1", {{"by", n(5)}}}),
            "shrink dense1: at least 1 unit must be left of 5, not 0");
  EXPECT_EQ(refusal(spec, {"shrink", "dense1", {{"to", n(7)}}}),
            "shrink dense1: expected fewer than its 5 units, not 7");
  EXPECT_EQ(refusal(spec, {"shrink", "dense1", {{"by", n(1)}, {"score", "scale"}}}),
            "shrink dense1: the score scale needs a batch norm behind the layer");
  EXPECT_EQ(refusal(conv, {"deepen", "p1", {}}),
            "deepen p1: new layers go behind a dense layer or a conv2d, not behind a max_pool");
  EXPECT_EQ(refusal(spec, {"deepen", "output", {}}),
            "deepen output: nothing goes behind the output layer");
  EXPECT_EQ(
      refusal(mlp(4, {5}, 3, "tanh"), {"deepen", "dense1", {{"form", "identity"}}}),
      "deepen dense1: identity needs the activation relu or none, not tanh; residual does not");
  EXPECT_EQ(refusal(spec, {"drop", "dense1", {}}),
            "drop dense1: it turns 4 into 5, so nothing fits behind it without it");
}

TEST(Operation, TiedUnitsChangeTogetherOrNotAtAll) {
  nn::ModelSpec spec{nn::Shape::features(4), {}};
  const nn::Fields five{{"units", n(5)}};
  spec.layers = {{"dense", "a", five},
                 {"residual_begin", "open", {}},
                 {"dense", "b", five},
                 {"residual_end", "close", {}}};
  spec = nn::with_output(spec, 2);
  EXPECT_EQ(nn::resizable_layers(spec), std::vector<std::string>{"a"});
  const auto wide = nn::reshaped(spec, {"widen", "b", {{"to", n(8)}}});
  EXPECT_EQ(nn::integer(wide.layers[0].fields, "units"), 8);
  EXPECT_EQ(nn::integer(wide.layers[2].fields, "units"), 8);
  spec.layers.erase(spec.layers.begin());
  spec.input = nn::Shape::features(5);
  EXPECT_EQ(refusal(nn::complete(spec), {"widen", "b", {{"by", n(1)}}}),
            "widen b: its units are tied to the input's by a residual sum");
}

TEST(Operation, LeavesUnitsAloneThatALayerNormMixes) {
  nn::ModelSpec spec{nn::Shape::features(4), {}};
  spec.layers = {{"dense", "fc", {{"units", n(5)}}}, {"layer_norm", "norm", {}}};
  spec = nn::with_output(spec, 2);
  EXPECT_EQ(refusal(spec, {"widen", "fc", {{"by", n(1)}}}),
            "widen fc: the layer norm normalises across its units, so none may come or go");
  EXPECT_TRUE(nn::resizable_layers(spec).empty());
  EXPECT_EQ(refusal(spec, {"deepen", "fc", {}}), "");
}

TEST(Operation, LeavesChannelsAloneThatAConvolutionReadsInGroups) {
  nn::ModelSpec spec{nn::Shape::image(6, 6, 2), {}};
  spec.layers = {{"conv2d", "a", {{"units", n(4)}}},
                 {"conv2d", "b", {{"units", n(6)}, {"groups", n(2)}}},
                 {"conv2d", "c", {{"units", n(3)}, {"dilation", n(2)}, {"padding", "same"}}},
                 {"global_pool", "p", {}}};
  spec = nn::with_output(spec, 2);
  for (const char* layer : {"a", "b"}) {
    EXPECT_EQ(refusal(spec, {"widen", layer, {{"by", n(2)}}}),
              std::string("widen ") + layer +
                  ": the layer b reads its channels in groups, so none may come or go");
    EXPECT_NE(refusal(spec, {"shrink", layer, {{"by", n(2)}}}), "");
  }
  EXPECT_EQ(nn::resizable_layers(spec), std::vector<std::string>{"c"});
  EXPECT_EQ(refusal(spec, {"deepen", "b", {}}), "");
  EXPECT_EQ(refusal(spec, {"shrink", "c", {{"by", n(1)}}}), "");
}

TEST(Operation, GradmaxNeedsAnActivationThatIsZeroAtZero) {
  EXPECT_EQ(refusal(mlp(4, {5, 4}, 3, "sigmoid"),
                    {"widen", "dense1", {{"by", n(1)}, {"rule", "gradmax"}}}),
            "widen dense1: the rule gradmax needs an activation that is 0 at 0, not sigmoid");
  EXPECT_EQ(
      refusal(mlp(4, {5, 4}, 3, "gelu"), {"widen", "dense1", {{"by", n(1)}, {"rule", "gradmax"}}}),
      "");
}

TEST(Operation, CountsWhatItCosts) {
  const nn::ModelSpec spec = mlp(4, {5, 6}, 3);
  const std::uint64_t forward = 2 * (4 * 5 + 5 * 6 + 6 * 3);
  EXPECT_EQ(nn::reshape_flops(spec, {"widen", "dense1", {{"by", n(3)}}}, 100), 0U);
  const nn::Operation plain{
      "shrink", "dense1", {{"by", n(2)}, {"score", "weights"}, {"refit", false}}};
  EXPECT_EQ(nn::reshape_flops(spec, plain, 100), 0U);
  EXPECT_EQ(nn::reshape_flops(spec, {"shrink", "dense1", {{"by", n(2)}}}, 100),
            100 * (forward + 6 * 6) + 6 * 6 * 6 / 3 + 2 * 6 * 6 * 6);
  EXPECT_EQ(nn::reshape_flops(spec, {"shrink", "dense1", {{"by", n(2)}}}, 10'000),
            5000 * (forward + 6 * 6) + 6 * 6 * 6 / 3 + 2 * 6 * 6 * 6);
}

TEST(Operation, IsDescribedInOneLine) {
  EXPECT_EQ(nn::describe({"widen", "fc1", {{"by", n(16)}}}), "widen fc1 by 16");
}

}  // namespace
