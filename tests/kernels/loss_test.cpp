#include "tests/kernels/support.h"

namespace kern::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<std::int32_t> random_labels(Random& random, int rows, int classes) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(rows));
  for (auto& l : labels) l = random.below(classes);
  return labels;
}

void check_softmax(const Kernels<float>& kernels, int rows, int classes, float spread,
                   unsigned seed) {
  SCOPED_TRACE("rows " + std::to_string(rows) + " classes " + std::to_string(classes));
  Random random(seed);
  Exec exec;
  const Floats logits = random.floats(std::size_t(rows) * classes, -spread, spread);
  const auto labels = random_labels(random, rows, classes);
  const float scale = 1.0f / static_cast<float>(std::max(rows, 1));
  Doubles expected(logits.size());
  const LossSums oracle = ref_kernels<double>().softmax_cross_entropy(
      exec, rows, classes, widen(logits).data(), labels.data(), double(scale), expected.data());
  Floats gradient(logits.size(), 99);
  const LossSums got = kernels.softmax_cross_entropy(exec, rows, classes, logits.data(),
                                                     labels.data(), scale, gradient.data());
  const LossSums alone = kernels.softmax_cross_entropy(exec, rows, classes, logits.data(),
                                                       labels.data(), scale, nullptr);
  // The bound of a row: rounding of logits as large as `spread`, and of a sum over the classes.
  const double bound =
      4 * std::numeric_limits<float>::epsilon() * (spread + std::sqrt(double(classes)));
  EXPECT_NEAR(got.loss, oracle.loss, bound * rows);
  EXPECT_EQ(got.correct, oracle.correct);
  EXPECT_EQ(got.loss, alone.loss);
  EXPECT_EQ(got.correct, alone.correct);
  for (std::size_t i = 0; i < gradient.size(); ++i)
    ASSERT_NEAR(gradient[i], expected[i], bound * scale) << i;
}

TEST(SoftmaxCrossEntropy, AgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    unsigned seed = 0;
    for (const int rows : {0, 1, 2, 15, 16, 17, 32, 100})
      for (const int classes : {1, 2, 3, 10, 16, 17, 100, 1000})
        check_softmax(kernels, rows, classes, 5, ++seed);
    check_softmax(kernels, 33, 10, 80, ++seed);
    check_softmax(kernels, 5, 12000, 3, ++seed);
  });
}

TEST(SoftmaxCrossEntropy, CountsTheFirstLargestLogit) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    const Floats logits{1, 3, 3, 3, 3, 1, 0, 0, 0};
    const std::vector<std::int32_t> labels{1, 0, 2};
    EXPECT_EQ(
        kernels.softmax_cross_entropy(exec, 3, 3, logits.data(), labels.data(), 1, nullptr).correct,
        2);
  });
}

TEST(SoftmaxCrossEntropy, NotFiniteLogitsPoisonTheirRowOnly) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const float bad : {kNan, kInfinity, -kInfinity})
      for (std::size_t at = 0; at < 3; ++at) {
        Exec exec;
        Floats logits{1, 2, 3, 1, 2, 3}, gradient(6);
        logits[at] = bad;
        const std::vector<std::int32_t> labels{2, 2};
        const LossSums sums = kernels.softmax_cross_entropy(exec, 2, 3, logits.data(),
                                                            labels.data(), 1, gradient.data());
        EXPECT_TRUE(std::isnan(sums.loss));
        EXPECT_EQ(sums.correct, 1);
        for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(std::isnan(gradient[i]), i < 3) << i;
      }
  });
}

TEST(SoftmaxCrossEntropy, ReferenceGradientIsTheDerivative) {
  Random random(8);
  Exec exec;
  const int rows = 4, classes = 5;
  Doubles logits = widen(random.floats(20, -3, 3)), gradient(20);
  const auto labels = random_labels(random, rows, classes);
  const auto loss = [&] {
    return ref_kernels<double>()
        .softmax_cross_entropy(exec, rows, classes, logits.data(), labels.data(), 1.0, nullptr)
        .loss;
  };
  ref_kernels<double>().softmax_cross_entropy(exec, rows, classes, logits.data(), labels.data(),
                                              1.0, gradient.data());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double at = logits[i], h = 1e-6;
    logits[i] = at + h;
    const double above = loss();
    logits[i] = at - h;
    const double below = loss();
    logits[i] = at;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-8);
  }
}

TEST(MeanSquaredError, AgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    unsigned seed = 0;
    for (const int rows : {0, 1, 5, 32, 1000})
      for (const int cols : {1, 3, 16, 40}) {
        SCOPED_TRACE("rows " + std::to_string(rows) + " cols " + std::to_string(cols));
        Random random(++seed);
        Exec exec;
        const Floats prediction = random.floats(std::size_t(rows) * cols),
                     target = random.floats(prediction.size());
        Doubles expected(prediction.size());
        const LossSums oracle = ref_kernels<double>().mean_squared_error(
            exec, rows, cols, widen(prediction).data(), target.data(), 0.25, expected.data());
        Floats gradient(prediction.size(), 99);
        const LossSums got = kernels.mean_squared_error(exec, rows, cols, prediction.data(),
                                                        target.data(), 0.25f, gradient.data());
        EXPECT_NEAR(got.loss, oracle.loss, 1e-6 * oracle.loss);
        EXPECT_EQ(got.correct, 0);
        EXPECT_EQ(got.loss, kernels
                                .mean_squared_error(exec, rows, cols, prediction.data(),
                                                    target.data(), 1, nullptr)
                                .loss);
        expect_close(gradient, expected, 1, "gradient");
      }
  });
}

TEST(MeanSquaredError, PassesNanOn) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    Floats prediction(21, 1), target(21, 2);
    prediction[20] = kNan;
    EXPECT_TRUE(std::isnan(
        kernels.mean_squared_error(exec, 21, 1, prediction.data(), target.data(), 1, nullptr)
            .loss));
  });
}

}  // namespace
}  // namespace kern::test
