// Golden runs on MNIST: what a network must reach on the test rows. The long ones are in suite
// `slow`, shortened ones in `unit`. Skipped where the data is not there ($TRELLIS_DATA/mnist, or
// shared/data/mnist beside the repository).

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "nn/data/load.h"
#include "nn/init.h"
#include "nn/train.h"
#include "tests/nn/nets.h"

namespace {

std::string mnist_folder() {
  const char* data = std::getenv("TRELLIS_DATA");
  for (const std::string& parent : {std::string(data == nullptr ? "" : data),
                                    std::string(TRELLIS_SOURCE_ROOT "/../shared/data")}) {
    const std::string folder = parent + "/mnist";
    if (!parent.empty() && std::filesystem::exists(folder)) return folder;
  }
  return "";
}

/// Test accuracy after three epochs at one learning rate on the first `rows` rows (0: all). Batch
/// and rate are those that did best on 10,000 training rows held out.
double accuracy(const nn::ModelSpec& spec, std::int64_t rows, std::uint64_t seed) {
  nn::DataSpec source;
  source.kind = nn::DataKind::idx;
  source.path = mnist_folder();
  source.scale = nn::Scale::unit;
  source.split.valid = 0;
  source.rows = rows;
  const nn::Dataset data = nn::load_dataset(source);
  const nn::DataView train = data.view(nn::Part::train), test = data.view(nn::Part::test);
  nn::Hyper hyper = nn_test::hyper("adam", {{"lr", 1e-3}}, 64);
  hyper.shuffle = seed;
  nn::ParamSlab net(nn::slab_header(spec, hyper.optimizer));
  nn::init_weights(net, seed);
  nn::Workspace workspace;
  const kern::Kernels<float>& kernels = kern::cpu_kernels();
  kern::prepare_thread();
  const nn::TrainStats stats = nn::train_steps(kernels, workspace, net, train, hyper, {0, 3});
  EXPECT_EQ(stats.rows, (rows == 0 ? 60000 : rows) * 3);
  EXPECT_FALSE(stats.diverged);
  const nn::Scores scores = nn::evaluate(kernels, workspace, net, test, hyper.loss);
  EXPECT_EQ(scores.rows, 10000);
  testing::Test::RecordProperty("accuracy_" + std::to_string(seed),
                                std::to_string(scores.accuracy));
  return scores.accuracy;
}

/// At one rate the last steps leave a noise of 0.002, so three seeds are asked.
double mean_accuracy(const nn::ModelSpec& spec) {
  double sum = 0;
  for (std::uint64_t seed : {1, 2, 3}) sum += accuracy(spec, 0, seed);
  testing::Test::RecordProperty("mean", std::to_string(sum / 3));
  return sum / 3;
}

class Golden : public testing::Test {
 protected:
  void SetUp() override {
    if (mnist_folder().empty()) {
      GTEST_SKIP() << "no MNIST: set TRELLIS_DATA to the folder that holds mnist/";
    }
  }
};
class GoldenShort : public Golden {};

TEST_F(Golden, MnistMlp) { EXPECT_GE(mean_accuracy(nn_test::mlp(784, {512, 256}, 10)), 0.974); }
TEST_F(Golden, MnistLenet) { EXPECT_GE(mean_accuracy(nn_test::lenet(16, 32, 128)), 0.983); }
TEST_F(GoldenShort, MnistMlp) { EXPECT_GE(accuracy(nn_test::mlp(784, {64}, 10), 10000, 1), 0.90); }
TEST_F(GoldenShort, MnistLenet) { EXPECT_GE(accuracy(nn_test::lenet(8, 16, 32), 6000, 1), 0.91); }

}  // namespace
