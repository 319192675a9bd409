// What must hold whatever thread computes: the same bits, flushed denormals, a name for the
// arithmetic.

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <array>
#include <thread>

#include "tests/kernels/window_cases.h"

namespace kern::test {
namespace {

/// One forward and backward step through every kind of kernel that sums; returns all the numbers it
/// made.
Floats step(const Kernels<float>& k, unsigned seed) {
  Random random(seed);
  const Window g = window(4, 12, 12, 3, 20, 5, 5, 1, 0);
  Scratch scratch(k.conv_scratch(g));
  Exec& exec = scratch.exec();
  const Floats x = random.floats(input_size(g)), w = random.floats(weights_size(g)),
               dense = random.floats(1280 * 10);
  Floats y(output_size(g)), dw(w.size()), dx(x.size()), logits(40), gradient(40),
      ddense(dense.size()), dbias(10);
  k.conv_forward(exec, g, x.data(), w.data(), nullptr, Activation::tanh, y.data());
  k.gemm(exec, {.m = 4,
                .n = 10,
                .k = 1280,
                .a = y.data(),
                .lda = 1280,
                .b = dense.data(),
                .ldb = 10,
                .c = logits.data(),
                .ldc = 10});
  const std::vector<std::int32_t> labels{1, 2, 3, 4};
  const LossSums loss = k.softmax_cross_entropy(exec, {.rows = 4,
                                                       .classes = 10,
                                                       .logits = logits.data(),
                                                       .labels = labels.data(),
                                                       .gradient_scale = 0.25f,
                                                       .dlogits = gradient.data()});
  k.activation_backward(exec, 4, 10, Activation::none, logits.data(), gradient.data(),
                        dbias.data());
  k.gemm(exec, {.trans_a = true,
                .m = 1280,
                .n = 10,
                .k = 4,
                .a = y.data(),
                .lda = 1280,
                .b = gradient.data(),
                .ldb = 10,
                .c = ddense.data(),
                .ldc = 10});
  k.conv_backward_weights(exec, g, x.data(), y.data(), dw.data());
  k.conv_backward_data(exec, g, y.data(), w.data(), dx.data());
  Floats all{static_cast<float>(loss.loss)};
  for (const Floats* v : {&y, &logits, &gradient, &dbias, &ddense, &dw, &dx})
    all.insert(all.end(), v->begin(), v->end());
  return all;
}

TEST(Threads, ComputeTheSameBitsAtTheSameTime) {
  for_each_table([](const Kernels<float>& kernels) {
    const Floats expected = step(kernels, 11);
    std::vector<int> equal(4);
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < equal.size(); ++i)
        threads.emplace_back([&, i] {
          prepare_thread();
          equal[i] = 1;
          for (int repeat = 0; repeat < 20; ++repeat)
            equal[i] &= same_bits(step(kernels, 11), expected);
        });
    }
    EXPECT_EQ(equal, std::vector<int>(4, 1));
  });
}

/// Products of several shapes with what one thread alone computes for each.
struct Products {
  struct One {
    GemmArgs<float> args;
    Floats a, b, expected;
  };
  explicit Products(void (*product)(const GemmArgs<float>&)) : run(product) {
    Random random(21);
    const std::array<int, 3> shapes[] = {
        {8, 10, 64}, {16, 16, 16}, {5, 33, 20}, {40, 24, 48}, {64, 10, 32}};
    for (const auto& [m, n, k] : shapes)
      for (const bool turn : {false, true}) {
        One& one = all.emplace_back();
        one.a = random.floats(std::size_t(m) * k);
        one.b = random.floats(std::size_t(k) * n);
        one.expected.resize(std::size_t(m) * n);
        one.args = {.trans_a = turn,
                    .trans_b = !turn,
                    .m = m,
                    .n = n,
                    .k = k,
                    .lda = turn ? m : k,
                    .ldb = turn ? n : k,
                    .ldc = n};
        compute(one, one.expected);
      }
  }
  void compute(const One& one, Floats& c) const {
    GemmArgs<float> args = one.args;
    args.a = one.a.data();
    args.b = one.b.data();
    args.c = c.data();
    run(args);
  }
  [[nodiscard]] int wrong(int count) const {
    int bad = 0;
    Floats c;
    for (int i = 0; i < count; ++i) {
      const One& one = all[std::size_t(i) % all.size()];
      c.assign(one.expected.size(), 99);
      compute(one, c);
      bad += !same_bits(c, one.expected);
    }
    return bad;
  }
  void (*run)(const GemmArgs<float>&);
  std::vector<One> all;
};

// One build of OpenBLAS that Debian offers gives wrong results when several threads call it.
TEST(Threads, HundredThousandProductsAtTheSameTimeAreRight) {
  prepare_thread();
  constexpr int kThreads = 4, kEach = 12500;
  for (const auto product : {cpu::openblas_gemm, cpu::onednn_gemm}) {
    const Products products(product);
    std::vector<int> wrong(kThreads, -1);
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < wrong.size(); ++i)
        threads.emplace_back([&, i] {
          prepare_thread();
          wrong[i] = products.wrong(kEach);
        });
    }
    EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
  }
}

TEST(Threads, PrepareFlushesDenormals) {
  std::jthread([] {
#if defined(__SSE2__)
    _mm_setcsr(0x1f80);  // a thread begins with what the one that made it has
    EXPECT_FALSE(is_prepared_thread());
#endif
    prepare_thread();
    EXPECT_TRUE(is_prepared_thread());
    volatile float tiny = 1e-38f;
    EXPECT_EQ(tiny * 0.01f, 0.0f);
    volatile float denormal = 1e-40f;
    EXPECT_EQ(denormal * 1e10f, 0.0f);
  }).join();
}

TEST(Fingerprint, NamesLibrariesAndInstructionSet) {
  const std::string text(fingerprint());
  for (const std::string_view part : {"kern", "OpenBLAS", "oneDNN", "gcc"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_NE(text.find(cpu::isa_name(cpu::chosen_isa())), std::string::npos) << text;
  EXPECT_EQ(fingerprint(), std::string_view(text));
}

TEST(CpuReport, RemedyGoesWithTheCure) {
  const CpuReport report = cpu_report();
  EXPECT_FALSE(report.blas_core.empty());
  EXPECT_EQ(report.remedy.empty(), blas_coretype_cure().empty());
  EXPECT_EQ(cpu::isa_from_name(report.instruction_set), cpu::chosen_isa());
  EXPECT_EQ(cpu::isa_from_name("sse9"), std::nullopt);
}

}  // namespace
}  // namespace kern::test
