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

/// What a classification loss gets besides its logits.
struct Extras {
  double smoothing = 0;
  bool weighted = false;
};
constexpr Extras kExtras[] = {{}, {0.1, false}, {0, true}, {0.3, true}};

/// One classification loss in float and double: softmax, or binary where `classes` is 0.
struct Case {
  int rows, classes;
  Extras extras;
  Floats logits, weights;
  std::vector<std::int32_t> labels;

  Case(int r, int c, float spread, Extras e, unsigned seed) : rows(r), classes(c), extras(e) {
    Random random(seed);
    logits = random.floats(std::size_t(r) * std::size_t(std::max(c, 1)), -spread, spread);
    labels = random_labels(random, r, c == 0 ? 2 : c);
    weights = random.floats(std::size_t(std::max(c, 2)), 0, 3);
  }

  template <class T>
  LossSums run(const Kernels<T>& k, const std::vector<T>& z, T scale, T* gradient) const {
    Exec exec;
    const float* of_classes = extras.weighted ? weights.data() : nullptr;
    if (classes == 0)
      return k.binary_cross_entropy(
          exec, {rows, z.data(), labels.data(), of_classes, extras.smoothing, scale, gradient});
    return k.softmax_cross_entropy(exec, {rows, classes, z.data(), labels.data(), of_classes,
                                          extras.smoothing, scale, gradient});
  }
};

void check(const Kernels<float>& kernels, int rows, int classes, float spread, Extras extras,
           unsigned seed) {
  SCOPED_TRACE("rows " + std::to_string(rows) + " classes " + std::to_string(classes) +
               " smoothing " + std::to_string(extras.smoothing) +
               (extras.weighted ? " weighted" : ""));
  const Case c(rows, classes, spread, extras, seed);
  const float scale = 1.0f / static_cast<float>(std::max(rows, 1));
  Doubles expected(c.logits.size());
  const LossSums oracle =
      c.run(ref_kernels<double>(), widen(c.logits), double(scale), expected.data());
  Floats gradient(c.logits.size(), 99);
  const LossSums got = c.run(kernels, c.logits, scale, gradient.data());
  const LossSums alone = c.run(kernels, c.logits, scale, static_cast<float*>(nullptr));
  // The bound of a row: rounding of logits as large as `spread`, and of a sum over the classes,
  // each counted up to three times.
  const double bound = 4 * std::numeric_limits<float>::epsilon() *
                       (spread + std::sqrt(double(std::max(classes, 1)))) *
                       (extras.weighted ? 3 : 1) * (extras.smoothing > 0 ? 2 : 1);
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
    for (const Extras extras : kExtras) {
      for (const int rows : {0, 1, 2, 15, 16, 17, 32, 100})
        for (const int classes : {1, 2, 3, 10, 16, 17, 100, 1000})
          check(kernels, rows, classes, 5, extras, ++seed);
      check(kernels, 33, 10, 80, extras, ++seed);
      check(kernels, 5, 12000, 3, extras, ++seed);
    }
  });
}

TEST(BinaryCrossEntropy, AgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    unsigned seed = 0;
    for (const Extras extras : kExtras)
      for (const int rows : {0, 1, 2, 15, 16, 17, 32, 100, 3001})
        for (const float spread : {0.01f, 5.0f, 80.0f})
          check(kernels, rows, 0, spread, extras, ++seed);
  });
}

TEST(SoftmaxCrossEntropy, CountsTheFirstLargestLogit) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    const Floats logits{1, 3, 3, 3, 3, 1, 0, 0, 0};
    const std::vector<std::int32_t> labels{1, 0, 2};
    const CrossEntropyArgs<float> args{
        .rows = 3, .classes = 3, .logits = logits.data(), .labels = labels.data()};
    EXPECT_EQ(kernels.softmax_cross_entropy(exec, args).correct, 2);
  });
}

TEST(BinaryCrossEntropy, ALogitOfZeroCountsAsTheFirstClass) {
  for_each_table([](const Kernels<float>& kernels) {
    const Floats logits(21, 0.0f);
    for (const std::int32_t label : {0, 1}) {
      const std::vector<std::int32_t> labels(logits.size(), label);
      Exec exec;
      const LossSums sums = kernels.binary_cross_entropy(
          exec, {.rows = 21, .logits = logits.data(), .labels = labels.data()});
      EXPECT_EQ(sums.correct, label == 0 ? 21 : 0);
    }
  });
}

TEST(SoftmaxCrossEntropy, NotFiniteLogitsPoisonTheirRowOnly) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const Extras extras : kExtras)
      for (const float bad : {kNan, kInfinity, -kInfinity})
        for (std::size_t at = 0; at < 3; ++at) {
          Case c(2, 3, 1, extras, 1);
          c.logits = {1, 2, 3, 1, 2, 3};
          c.labels = {2, 2};
          c.logits[at] = bad;
          Floats gradient(6);
          const LossSums sums = c.run(kernels, c.logits, 1.0f, gradient.data());
          EXPECT_TRUE(std::isnan(sums.loss));
          EXPECT_EQ(sums.correct, 1);
          for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(std::isnan(gradient[i]), i < 3) << i;
        }
  });
}

TEST(BinaryCrossEntropy, NotFiniteLogitsPoisonTheirRowOnly) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const float bad : {kNan, kInfinity, -kInfinity}) {
      Case c(3, 0, 1, {}, 1);
      c.logits = {-2, bad, 3};
      c.labels = {0, 1, 1};
      Floats gradient(3);
      const LossSums sums = c.run(kernels, c.logits, 1.0f, gradient.data());
      EXPECT_TRUE(std::isnan(sums.loss));
      EXPECT_EQ(sums.correct, 2);
      for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(std::isnan(gradient[i]), i == 1) << i;
    }
  });
}

TEST(BinaryCrossEntropy, IsTheSoftmaxOfTwoLogits) {
  Random random(5);
  Case one(40, 0, 4, {0.2, true}, 6), two(40, 2, 4, {0.2, true}, 6);
  two.labels = one.labels;
  two.weights = one.weights;
  for (std::size_t i = 0; i < 40; ++i) {
    two.logits[2 * i] = 0;
    two.logits[2 * i + 1] = one.logits[i];
  }
  // A smoothed target weighs the other class by its own weight, so the weights have to be equal.
  one.weights = two.weights = {1.5f, 1.5f};
  Doubles dz(40), d2(80);
  const auto& ref = ref_kernels<double>();
  const LossSums a = one.run(ref, widen(one.logits), 1.0, dz.data());
  const LossSums b = two.run(ref, widen(two.logits), 1.0, d2.data());
  EXPECT_NEAR(a.loss, b.loss, 1e-10);
  EXPECT_EQ(a.correct, b.correct);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(dz[i], d2[2 * i + 1], 1e-12);
}

TEST(ClassificationLosses, ReferenceGradientIsTheDerivative) {
  const auto& ref = ref_kernels<double>();
  for (const Extras extras : kExtras)
    for (const int classes : {0, 5}) {
      const Case c(4, classes, 3, extras, 8);
      Doubles logits = widen(c.logits), gradient(logits.size());
      (void)c.run(ref, logits, 1.0, gradient.data());
      for (std::size_t i = 0; i < logits.size(); ++i) {
        const double at = logits[i], h = 1e-6;
        logits[i] = at + h;
        const double above = c.run(ref, logits, 1.0, static_cast<double*>(nullptr)).loss;
        logits[i] = at - h;
        const double below = c.run(ref, logits, 1.0, static_cast<double*>(nullptr)).loss;
        logits[i] = at;
        EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-8);
      }
    }
}

template <class T>
using DifferenceLoss = LossSums (*Kernels<T>::*)(Exec&, const DifferenceLossArgs<T>&);
struct NamedLoss {
  const char* name;
  DifferenceLoss<float> narrow;
  DifferenceLoss<double> wide;
};
const NamedLoss kDifferences[] = {{"mean_squared_error", &Kernels<float>::mean_squared_error,
                                   &Kernels<double>::mean_squared_error},
                                  {"mean_absolute_error", &Kernels<float>::mean_absolute_error,
                                   &Kernels<double>::mean_absolute_error},
                                  {"huber", &Kernels<float>::huber, &Kernels<double>::huber}};

TEST(DifferenceLosses, AgreeWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    unsigned seed = 0;
    for (const NamedLoss& loss : kDifferences)
      for (const int rows : {0, 1, 5, 32, 1000})
        for (const int cols : {1, 3, 16, 40}) {
          SCOPED_TRACE(std::string(loss.name) + " rows " + std::to_string(rows) + " cols " +
                       std::to_string(cols));
          Random random(++seed);
          Exec exec;
          const Floats prediction = random.floats(std::size_t(rows) * cols),
                       target = random.floats(prediction.size());
          const Doubles wide = widen(prediction);
          Doubles expected(prediction.size());
          const LossSums oracle = (ref_kernels<double>().*loss.wide)(
              exec, {rows, cols, wide.data(), target.data(), 0.5, 0.25, expected.data()});
          Floats gradient(prediction.size(), 99);
          const LossSums got = (kernels.*loss.narrow)(
              exec, {rows, cols, prediction.data(), target.data(), 0.5f, 0.25f, gradient.data()});
          const LossSums alone = (kernels.*loss.narrow)(
              exec, {rows, cols, prediction.data(), target.data(), 0.5f, 1, nullptr});
          EXPECT_NEAR(got.loss, oracle.loss, 1e-6 * oracle.loss);
          EXPECT_EQ(got.correct, 0);
          EXPECT_EQ(got.loss, alone.loss);
          expect_close(gradient, expected, 1, "gradient");
        }
  });
}

TEST(DifferenceLosses, PassNanOn) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const NamedLoss& loss : kDifferences) {
      Exec exec;
      Floats prediction(21, 1), target(21, 2), gradient(21);
      prediction[20] = kNan;
      const LossSums sums = (kernels.*loss.narrow)(
          exec, {21, 1, prediction.data(), target.data(), 1, 1, gradient.data()});
      EXPECT_TRUE(std::isnan(sums.loss)) << loss.name;
      EXPECT_TRUE(std::isnan(gradient[20])) << loss.name;
    }
  });
}

TEST(DifferenceLosses, ByHand) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    const Floats prediction{3, 0.5f, -2, 1}, target{1, 0, 1, 1};
    Floats gradient(4);
    const auto run = [&](const NamedLoss& loss) {
      return (kernels.*loss.narrow)(
          exec, {1, 4, prediction.data(), target.data(), 1, 4, gradient.data()});
    };
    EXPECT_FLOAT_EQ(static_cast<float>(run(kDifferences[1]).loss), 5.5f / 4);
    EXPECT_EQ(gradient, (Floats{1, 1, -1, 0}));
    EXPECT_FLOAT_EQ(static_cast<float>(run(kDifferences[2]).loss), (1.5f + 0.125f + 2.5f) / 4);
    EXPECT_EQ(gradient, (Floats{1, 0.5f, -1, 0}));
  });
}

}  // namespace
}  // namespace kern::test
