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
  EXPECT_EQ(refusal(spec, {"widen", "dense1", {}}), "widen dense1: expected one of by and to");
  EXPECT_EQ(refusal(spec, {"widen", "dense1", {{"by", n(1)}, {"to", n(9)}}}),
            "widen dense1: expected one of by and to");
  EXPECT_EQ(refusal(spec, {"widen", "dense1", {{"to", n(5)}}}),
            "widen dense1: expected more than its 5 units, not 5");
  EXPECT_EQ(refusal(spec, {"widen", "output", {{"by", n(1)}}}),
            "widen output: its units are the network's outputs");
  EXPECT_EQ(refusal(conv, {"widen", "flat", {{"by", n(1)}}}),
            "widen flat: a flatten layer has no units of its own; its units are those of c2");
}

TEST(Operation, IsDescribedInOneLine) {
  EXPECT_EQ(nn::describe({"widen", "fc1", {{"by", n(16)}}}), "widen fc1 by 16");
}

}  // namespace
