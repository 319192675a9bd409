// Golden runs on MNIST: what a network must reach on the test rows. The long ones are in suite
// `slow`, shortened ones in `unit`. Skipped where the data is not there ($TRELLIS_DATA/mnist, or
// shared/data/mnist beside the repository).

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "nn/data/load.h"
#include "nn/model/init.h"
#include "nn/reshape/reshape.h"
#include "nn/training/train.h"
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

nn::Dataset mnist(std::int64_t rows) {
  nn::DataSpec source;
  source.kind = nn::DataKind::idx;
  source.path = mnist_folder();
  source.scale = nn::Scale::unit;
  source.split.valid = 0;
  source.rows = rows;
  return nn::load_dataset(source);
}

/// One network in training on MNIST with Adam.
class Training {
 public:
  Training(const nn::Dataset& data, const nn::ModelSpec& spec, std::uint64_t seed)
      : data_(&data),
        hyper_(nn_test::hyper("adam", {{"lr", 1e-3}}, 64)),
        seed_(seed),
        net_(nn::slab_header(spec, hyper_.optimizer)) {
    hyper_.shuffle = seed;
    nn::init_weights(net_, seed);
    kern::prepare_thread();
  }
  nn::TrainStats train(const nn::Segment& segment) {
    return nn::train_steps(kern::cpu_kernels(), workspace_, net_, data_->view(nn::Part::train),
                           hyper_, segment);
  }
  void set_rate(double lr) { hyper_.optimizer.fields["lr"] = lr; }
  void reshape(const nn::Operation& operation) {
    net_ = nn::reshape(kern::cpu_kernels(), workspace_, net_, operation,
                       data_->view(nn::Part::train), seed_);
  }
  nn::Scores test() {
    return nn::evaluate(kern::cpu_kernels(), workspace_, net_, data_->view(nn::Part::test),
                        hyper_.loss);
  }

 private:
  const nn::Dataset* data_;
  nn::Hyper hyper_;
  std::uint64_t seed_;
  nn::ParamSlab net_;
  nn::Workspace workspace_;
};

/// Test accuracy after three epochs at one learning rate on the first `rows` rows (0: all). Batch
/// and rate are those that did best on 10,000 training rows held out.
double accuracy(const nn::ModelSpec& spec, std::int64_t rows, std::uint64_t seed) {
  const nn::Dataset data = mnist(rows);
  Training run(data, spec, seed);
  const nn::TrainStats stats = run.train({0, 3});
  EXPECT_EQ(stats.rows, (rows == 0 ? 60000 : rows) * 3);
  EXPECT_FALSE(stats.diverged);
  const nn::Scores scores = run.test();
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
TEST_F(Golden, AHalvedNetworkLosesLittle) {
  const nn::Dataset data = mnist(0);
  Training run(data, nn_test::mlp(784, {256, 256}, 10), 1);
  (void)run.train({0, 3});
  const double whole = run.test().accuracy;
  for (const char* layer : {"dense1", "dense2"}) {
    run.reshape({"shrink", layer, {{"by", nn_test::n(128)}}});
  }
  EXPECT_GE(run.test().accuracy, whole - 0.015);
  run.set_rate(2e-4);
  (void)run.train({3 * 938, 3 * 938 + 200, 938});
  EXPECT_GE(run.test().accuracy, whole - 0.005);
}
TEST_F(Golden, AGrownNetworkCatchesUp) {
  const nn::Dataset data = mnist(0);
  Training run(data, nn_test::mlp(784, {16, 16}, 10), 1),
      large(data, nn_test::mlp(784, {64, 64}, 10), 1);
  (void)run.train({0, 2});
  const double before = run.test().loss;
  for (const char* layer : {"dense1", "dense2"}) {
    run.reshape({"widen", layer, {{"to", nn_test::n(64)}}});
  }
  EXPECT_NEAR(run.test().loss, before, 1e-6 * before);
  (void)run.train({2, 5});
  (void)large.train({0, 5});
  EXPECT_GE(run.test().accuracy, large.test().accuracy - 0.008);
}
TEST_F(Golden, MnistLenet) { EXPECT_GE(mean_accuracy(nn_test::lenet(16, 32, 128)), 0.983); }
TEST_F(GoldenShort, MnistMlp) { EXPECT_GE(accuracy(nn_test::mlp(784, {64}, 10), 10000, 1), 0.90); }
TEST_F(GoldenShort, MnistLenet) { EXPECT_GE(accuracy(nn_test::lenet(8, 16, 32), 6000, 1), 0.91); }

}  // namespace
