#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "nn/model/init.h"
#include "nn/training/train.h"
#include "tests/nn/nets.h"

namespace {

using nn_test::Table;

nn::Hyper in_bf16(nn::Hyper hyper) {
  hyper.precision = kern::Precision::bf16;
  return hyper;
}

/// The oracle, and what this processor has.
std::vector<const kern::Kernels<float>*> bf16_tables() {
  kern::prepare_thread();
  std::vector<const kern::Kernels<float>*> tables{&kern::ref_kernels<float>(kern::Precision::bf16)};
  if (kern::cpu_lacks(kern::Precision::bf16).empty())
    tables.push_back(&kern::cpu_kernels(kern::Precision::bf16));
  return tables;
}

nn::ParamSlab trained(const kern::Kernels<float>& kernels, const nn::ModelSpec& spec,
                      const Table& table, const nn::Hyper& hyper,
                      const std::vector<nn::Segment>& segments) {
  nn::ParamSlab net(nn::slab_header(spec, hyper.optimizer));
  nn::init_weights(net, 11);
  nn::Workspace workspace;
  for (const nn::Segment& segment : segments)
    (void)nn::train_steps(kernels, workspace, net, table.view(), hyper, segment);
  return net;
}

double accuracy(const nn::ParamSlab& net, const Table& table, const nn::Hyper& hyper) {
  nn::Workspace workspace;
  return nn::evaluate(kern::cpu_kernels(), workspace, net, table.view(), hyper.loss).accuracy;
}

TEST(Bf16, TheKernelsArePartOfTheAgreement) {
  const Table table(40, 10, 3);
  const nn::ModelSpec spec = nn_test::mlp(10, {24}, 3);
  const nn::Hyper f32 = nn_test::hyper("sgd", {{"lr", 0.05}});
  try {
    (void)trained(kern::cpu_kernels(), spec, table, in_bf16(f32), {{0, 1}});
    FAIL() << "was not refused";
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(),
                 "the kernels round operands of products to f32, the training is for bf16");
  }
  EXPECT_THROW((void)trained(*bf16_tables().front(), spec, table, f32, {{0, 1}}), base::Error);
}

TEST(Bf16, NetworksLearnAsWell) {
  const Table table(400, 10, 3);
  const nn::Hyper hyper = nn_test::hyper("adam", {{"lr", 0.01}}, 16, 2);
  for (const nn::ModelSpec& spec : {nn_test::mlp(10, {24}, 3), nn_test::normed(10, 24, 3)}) {
    for (const kern::Kernels<float>* kernels : bf16_tables()) {
      SCOPED_TRACE(kernels->name);
      EXPECT_GT(accuracy(trained(*kernels, spec, table, in_bf16(hyper), {{0, 30}}), table, hyper),
                0.9);
    }
  }
}

TEST(Bf16, TheFirstStepIsTheOraclesAndNotThatOfF32) {
  const Table table(64, 36, 3);
  const nn::ModelSpec spec = nn_test::mlp(36, {40}, 3);
  const nn::Hyper hyper = nn_test::hyper("sgd", {{"lr", 0.5}}, 64);
  const nn::ParamSlab whole = trained(kern::cpu_kernels(), spec, table, hyper, {{0, 1}});
  const nn::ParamSlab expected =
      trained(*bf16_tables().front(), spec, table, in_bf16(hyper), {{0, 1}});
  const auto apart = [&](const nn::ParamSlab& net) {
    float most = 0;
    for (std::size_t i = 0; i < net.count(); ++i)
      most = std::max(most, std::abs(net.weights()[i] - expected.weights()[i]));
    return most;
  };
  EXPECT_GT(apart(whole), 2e-5F);
  for (const kern::Kernels<float>* kernels : bf16_tables()) {
    // Activations next to a boundary of rounding may fall on either side of it.
    EXPECT_LT(apart(trained(*kernels, spec, table, in_bf16(hyper), {{0, 1}})), 0.3F * apart(whole))
        << kernels->name;
  }
}

TEST(Bf16, SegmentsDoNotShow) {
  const Table table(101, 36, 3);
  const nn::ModelSpec spec = nn_test::mlp(36, {40, 33}, 3);
  const nn::Hyper hyper = in_bf16(nn_test::hyper("adam", {{"lr", 0.01}}, 20, 1));
  for (const kern::Kernels<float>* kernels : bf16_tables()) {
    const nn::ParamSlab once = trained(*kernels, spec, table, hyper, {{0, 3}});
    const nn::ParamSlab cut = trained(*kernels, spec, table, hyper, {{0, 1}, {1, 3}});
    EXPECT_TRUE(std::ranges::equal(once.bytes(), cut.bytes())) << kernels->name;
  }
}

}  // namespace
