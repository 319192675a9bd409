#include "tests/kernels/support.h"

namespace kern::test {
namespace {

constexpr std::size_t kCounts[] = {0, 1, 15, 16, 17, 1000, 4099};
constexpr int kSteps = 5;

/// The state of an optimizer in float and double, advanced side by side.
struct State {
  explicit State(std::size_t count, unsigned seed)
      : random(seed),
        weights(random.floats(count)),
        first(count),
        second(count),
        wide_weights(widen(weights)),
        wide_first(count),
        wide_second(count) {}
  void next_gradient() {
    gradient = random.floats(weights.size());
    // Always-black pixels: a gradient that is exactly 0.
    for (std::size_t i = 3; i < gradient.size(); i += 7) gradient[i] = 0;
    wide_gradient = widen(gradient);
  }
  void expect_equal() const {
    expect_close(weights, wide_weights, kSteps, "weights", 0.5);
    expect_close(first, wide_first, kSteps, "first slot", 0.5);
    expect_close(second, wide_second, kSteps, "second slot");
  }
  Random random;
  Floats weights, first, second, gradient;
  Doubles wide_weights, wide_first, wide_second, wide_gradient;
};

template <class Step>
void check(unsigned seed, Step step) {
  for (const std::size_t count : kCounts) {
    SCOPED_TRACE("count " + std::to_string(count));
    State s(count, seed);
    for (int t = 1; t <= kSteps; ++t) {
      s.next_gradient();
      step(s, t);
    }
    s.expect_equal();
  }
}

template <class T>
struct Pointers {
  T *weights, *first, *second;
  const T* gradient;
};
Pointers<float> narrow(State& s) {
  return {s.weights.data(), s.first.data(), s.second.data(), s.gradient.data()};
}
Pointers<double> wide(State& s) {
  return {s.wide_weights.data(), s.wide_first.data(), s.wide_second.data(), s.wide_gradient.data()};
}

TEST(Sgd, AgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const auto& [momentum, nesterov] :
         {std::pair{0.0, false}, std::pair{0.9, false}, std::pair{0.9, true}})
      for (const double decay : {0.0, 0.01})
        check(1, [&](State& s, int) {
          Exec exec;
          const auto step = [&]<class T>(const Kernels<T>& k, const Pointers<T>& p) {
            k.sgd(exec, {.count = s.weights.size(),
                         .weights = p.weights,
                         .gradient = p.gradient,
                         .velocity = momentum > 0 ? p.first : nullptr,
                         .lr = 0.1,
                         .momentum = momentum,
                         .weight_decay = decay,
                         .nesterov = nesterov});
          };
          step(kernels, narrow(s));
          step(ref_kernels<double>(), wide(s));
        });
  });
}

TEST(Adam, AgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const auto& [decay, keep] :
         {std::pair{0.0, 1.0}, std::pair{0.01, 1.0}, std::pair{0.0, 0.99}})
      check(2, [&](State& s, int t) {
        Exec exec;
        const auto step = [&]<class T>(const Kernels<T>& k, const Pointers<T>& p) {
          k.adam(exec, {.count = s.weights.size(),
                        .weights = p.weights,
                        .gradient = p.gradient,
                        .m = p.first,
                        .v = p.second,
                        .lr = 0.01,
                        .weight_decay = decay,
                        .keep = keep,
                        .step = t});
        };
        step(kernels, narrow(s));
        step(ref_kernels<double>(), wide(s));
      });
  });
}

/// Factors of columns at ages 1, 2, 3, 1, ...
template <class T>
struct ColumnFactors {
  ColumnFactors(std::size_t cols, double lr) {
    for (std::size_t j = 0; j < cols; ++j) {
      const double age = static_cast<double>(1 + j % 3);
      step_size.push_back(static_cast<T>(lr / (1 - std::pow(0.9, age))));
      correction.push_back(static_cast<T>(1 / std::sqrt(1 - std::pow(0.999, age))));
    }
  }
  std::vector<T> step_size, correction;
};

TEST(AdamColumns, AgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const std::size_t cols : {1, 3, 16, 17, 41}) {
      const std::size_t rows = 5;
      State s(rows * cols, 4);
      s.next_gradient();
      Exec exec;
      const auto step = [&]<class T>(const Kernels<T>& k, const Pointers<T>& p) {
        const ColumnFactors<T> factors(cols, 0.01);
        k.adam_columns(exec, {.rows = rows,
                              .cols = cols,
                              .weights = p.weights,
                              .gradient = p.gradient,
                              .m = p.first,
                              .v = p.second,
                              .step_size = factors.step_size.data(),
                              .correction = factors.correction.data(),
                              .weight_decay = 0.01,
                              .keep = 0.99});
      };
      step(kernels, narrow(s));
      step(ref_kernels<double>(), wide(s));
      s.expect_equal();
    }
  });
}

TEST(AdamColumns, ColumnsOfOneAgeGiveTheBitsOfAdam) {
  for_each_table([](const Kernels<float>& kernels) {
    constexpr std::size_t kRows = 7, kCols = 23;
    State a(kRows * kCols, 5), b(kRows * kCols, 5);
    a.next_gradient();
    b.next_gradient();
    Exec exec;
    const Pointers<float> x = narrow(a), y = narrow(b);
    kernels.adam(exec, {.count = kRows * kCols,
                        .weights = x.weights,
                        .gradient = x.gradient,
                        .m = x.first,
                        .v = x.second,
                        .lr = 0.01,
                        .step = 3});
    const Floats step_size(kCols, static_cast<float>(0.01 / (1 - std::pow(0.9, 3))));
    const Floats correction(kCols, static_cast<float>(1 / std::sqrt(1 - std::pow(0.999, 3))));
    kernels.adam_columns(exec, {.rows = kRows,
                                .cols = kCols,
                                .weights = y.weights,
                                .gradient = y.gradient,
                                .m = y.first,
                                .v = y.second,
                                .step_size = step_size.data(),
                                .correction = correction.data()});
    EXPECT_EQ(a.weights, b.weights);
    EXPECT_EQ(a.first, b.first);
    EXPECT_EQ(a.second, b.second);
  });
}

TEST(Rmsprop, AgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const double momentum : {0.0, 0.5})
      check(3, [&](State& s, int) {
        Exec exec;
        const auto step = [&]<class T>(const Kernels<T>& k, const Pointers<T>& p) {
          k.rmsprop(exec, {.count = s.weights.size(),
                           .weights = p.weights,
                           .gradient = p.gradient,
                           .v = p.second,
                           .velocity = momentum > 0 ? p.first : nullptr,
                           .lr = 0.01,
                           .momentum = momentum,
                           .weight_decay = 0.001});
        };
        step(kernels, narrow(s));
        step(ref_kernels<double>(), wide(s));
      });
  });
}

TEST(Lars, AgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const double momentum : {0.0, 0.9})
      for (const double decay : {0.0, 0.01})
        check(6, [&](State& s, int) {
          Exec exec;
          const auto step = [&]<class T>(const Kernels<T>& k, const Pointers<T>& p) {
            k.lars(exec, {.count = s.weights.size(),
                          .weights = p.weights,
                          .gradient = p.gradient,
                          .velocity = momentum > 0 ? p.first : nullptr,
                          .lr = 2,
                          .momentum = momentum,
                          .weight_decay = decay,
                          .trust = 0.02});
          };
          step(kernels, narrow(s));
          step(ref_kernels<double>(), wide(s));
        });
  });
}

/// LAMB's step of a layer that is one run.
template <class T>
void lamb(const Kernels<T>& kernels, const Pointers<T>& p, std::size_t count, int t) {
  const LambRun<T> run{.rows = 1,
                       .cols = count,
                       .unbias = static_cast<T>(1 / (1 - std::pow(0.9, t))),
                       .correction = static_cast<T>(1 / std::sqrt(1 - std::pow(0.999, t)))};
  Exec exec;
  kernels.lamb(exec, {.runs = &run,
                      .run_count = 1,
                      .weights = p.weights,
                      .gradient = p.gradient,
                      .m = p.first,
                      .v = p.second,
                      .lr = 0.02,
                      .weight_decay = 0.01});
}

TEST(Lamb, AgreesWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    check(7, [&](State& s, int t) {
      lamb(kernels, narrow(s), s.weights.size(), t);
      lamb(ref_kernels<double>(), wide(s), s.weights.size(), t);
    });
  });
}

/// A layer of which some rows count their steps column by column: runs of 3 rows, 1 row and 2.
template <class T>
void lamb_in_runs(const Kernels<T>& kernels, const Pointers<T>& p, std::size_t cols) {
  const ColumnFactors<T> corrections(cols, 0.01);
  std::vector<T> unbiases;
  for (const T step_size : corrections.step_size) unbiases.push_back(step_size / T(0.01));
  const auto run = [&](std::size_t from, std::size_t rows, bool listed) {
    return LambRun<T>{.offset = from * cols,
                      .rows = rows,
                      .cols = cols,
                      .unbias = 2,
                      .correction = 3,
                      .unbiases = listed ? unbiases.data() : nullptr,
                      .corrections = listed ? corrections.correction.data() : nullptr};
  };
  const std::array runs{run(0, 3, true), run(3, 1, false), run(4, 2, true)};
  Exec exec;
  kernels.lamb(exec, {.runs = runs.data(),
                      .run_count = runs.size(),
                      .weights = p.weights,
                      .gradient = p.gradient,
                      .m = p.first,
                      .v = p.second,
                      .lr = 0.02,
                      .weight_decay = 0.01});
}

TEST(Lamb, ColumnsOfSeveralAgesAgreeWithTheOracle) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const std::size_t cols : {1, 3, 16, 17, 41}) {
      State s(6 * cols, 8);
      s.next_gradient();
      lamb_in_runs(kernels, narrow(s), cols);
      lamb_in_runs(ref_kernels<double>(), wide(s), cols);
      s.expect_equal();
    }
  });
}

/// How far a layer moves, as a share of its length.
double share_moved(const Floats& before, const Floats& after) {
  double moved = 0, length = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    moved += std::pow(double{after[i]} - double{before[i]}, 2);
    length += std::pow(double{before[i]}, 2);
  }
  return std::sqrt(moved / length);
}

TEST(Layerwise, AStepIsAsLongAsAShareOfItsLayerWhateverTheGradient) {
  for_each_table([](const Kernels<float>& kernels) {
    for (const float scale : {1e-4F, 1.0F, 1e4F}) {
      State a(1000, 9), b(1000, 9);
      for (State* s : {&a, &b}) {
        s->next_gradient();
        for (float& g : s->gradient) g *= scale;
      }
      const Floats before = a.weights;
      Exec exec;
      kernels.lars(exec, {.count = 1000,
                          .weights = a.weights.data(),
                          .gradient = a.gradient.data(),
                          .lr = 2,
                          .trust = 0.01});
      lamb(kernels, narrow(b), 1000, 1);
      EXPECT_NEAR(share_moved(before, a.weights), 0.02, 1e-6);
      EXPECT_NEAR(share_moved(before, b.weights), 0.02, 1e-6);
    }
  });
}

TEST(Layerwise, ALayerOfZerosMovesAsIfItWereAsLongAsItsStep) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    const Floats g(20, 0.5F);
    Floats a(20), b(20), m(20), v(20);
    kernels.lars(exec,
                 {.count = 20, .weights = a.data(), .gradient = g.data(), .lr = 2, .trust = 0.01});
    const Pointers<float> p{b.data(), m.data(), v.data(), g.data()};
    lamb(kernels, p, 20, 1);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_NEAR(a[i], -0.01, 1e-7);
      EXPECT_NEAR(b[i], -0.02, 1e-6);
    }
  });
}

/// Weights of 1 after a first step of rate 0.125 against their gradient.
Floats after_first_step(const Kernels<float>& kernels, double beta1, double beta2) {
  Exec exec;
  Floats w(40, 1), g(40, -0.3f), m(40), v(40);
  kernels.adam(exec, {.count = 40,
                      .weights = w.data(),
                      .gradient = g.data(),
                      .m = m.data(),
                      .v = v.data(),
                      .lr = 0.125,
                      .beta1 = beta1,
                      .beta2 = beta2,
                      .step = 1});
  return w;
}

TEST(Adam, FirstStepMovesByTheLearningRate) {
  for_each_table([](const Kernels<float>& kernels) {
    const AdamArgs<float> usual;
    for (const float x : after_first_step(kernels, usual.beta1, usual.beta2))
      EXPECT_NEAR(x, 1.125, 1e-6);
  });
}

TEST(Adam, EachCallHasItsOwnBetas) {
  for_each_table([](const Kernels<float>& kernels) {
    // After one step of any betas a weight has moved by the rate; the next call is at that step,
    // too.
    for (const double beta1 : {0.9, 0.5, 0.75}) {
      for (const double beta2 : {0.999, 0.9, 0.95}) {
        for (const float x : after_first_step(kernels, beta1, beta2))
          EXPECT_NEAR(x, 1.125, 1e-5) << beta1 << " " << beta2;
      }
    }
  });
}

TEST(Adam, ZeroGradientLeavesAFreshWeightAlone) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    Floats w(40, 0.5f), g(40), m(40), v(40);
    for (int t = 1; t < 4; ++t)
      kernels.adam(exec, {.count = 40,
                          .weights = w.data(),
                          .gradient = g.data(),
                          .m = m.data(),
                          .v = v.data(),
                          .lr = 0.1,
                          .step = t});
    EXPECT_EQ(w, Floats(40, 0.5f));
  });
}

TEST(Optimizers, NanGradientReachesTheWeight) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    const Floats g(20, std::numeric_limits<float>::quiet_NaN());
    Floats a(20), b(20), c(20), m(20), v(20), v2(20);
    kernels.sgd(exec, {.count = 20, .weights = a.data(), .gradient = g.data(), .lr = 0.1});
    kernels.adam(exec, {.count = 20,
                        .weights = b.data(),
                        .gradient = g.data(),
                        .m = m.data(),
                        .v = v.data(),
                        .lr = 0.1});
    kernels.rmsprop(
        exec, {.count = 20, .weights = c.data(), .gradient = g.data(), .v = v2.data(), .lr = 0.1});
    Floats d(20, 1), e(20, 1), m2(20), v3(20);
    kernels.lars(exec, {.count = 20, .weights = d.data(), .gradient = g.data(), .lr = 0.1});
    const Pointers<float> p{e.data(), m2.data(), v3.data(), g.data()};
    lamb(kernels, p, 20, 1);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_TRUE(std::isnan(a[i]) && std::isnan(b[i]) && std::isnan(c[i])) << i;
      EXPECT_TRUE(std::isnan(d[i]) && std::isnan(e[i])) << i;
    }
  });
}

// Moments of a gradient that became 0 decay into denormals, a hundred times slower than normal
// numbers.
TEST(Adam, MomentsNeverBecomeDenormal) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    Floats w(16), g(16, 1e-3f), m(16), v(16);
    kernels.adam(exec, {.count = 16,
                        .weights = w.data(),
                        .gradient = g.data(),
                        .m = m.data(),
                        .v = v.data(),
                        .lr = 0.1,
                        .step = 1});
    g.assign(16, 0);
    for (int t = 2; t < 1500; ++t) {
      kernels.adam(exec, {.count = 16,
                          .weights = w.data(),
                          .gradient = g.data(),
                          .m = m.data(),
                          .v = v.data(),
                          .lr = 0.1,
                          .step = t});
      for (const float x : m) ASSERT_NE(std::fpclassify(x), FP_SUBNORMAL) << "step " << t;
    }
    EXPECT_EQ(m[0], 0.0f);
  });
}

}  // namespace
}  // namespace kern::test
