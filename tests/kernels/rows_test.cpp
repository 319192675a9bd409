// A row's numbers depend on the row alone: not on how many rows a call has, nor on the row's place
// among them. So predictions and scores are the same however a table is cut into calls.

#include <functional>
#include <numeric>

#include "tests/kernels/window_cases.h"

namespace kern::test {
namespace {

/// Computes `count` rows from row `first` on, as one call of a kernel.
using SomeRows = std::function<void(int first, int count)>;

/// Numbers of the same rows computed whole and in calls of several sizes are equal bit for bit.
/// `out` is what `some_rows` writes.
void expect_rows_alone(int rows, Floats& out, const SomeRows& some_rows) {
  some_rows(0, rows);
  const Floats whole = out;
  for (const int most : {1, 2, 5, 14, 33}) {
    std::fill(out.begin(), out.end(), 99.0F);
    for (int first = 0, call = 0; first < rows; ++call) {
      // Calls of one size, but for the second, which moves all later rows to another place.
      const int count = std::min(rows - first, call == 1 ? std::max(1, most - 1) : most);
      some_rows(first, count);
      first += count;
    }
    ASSERT_TRUE(same_bits(whole, out)) << "in calls of " << most << " rows";
  }
}

template <class Body>
void for_each_table_of_programs(Body body) {
  if (on_gpu()) GTEST_SKIP() << "cuBLAS chooses its kernels by the number of rows";
  for_each_table([&](const Kernels<float>& kernels) {
    if (!is_of_a_library(kernels)) body(kernels);
  });
}

TEST(Rows, OfAProductAreAlone) {
  // Dense layers forward (A B) and backward (A B^T): one input or output, few of either, sizes
  // around a tile's and a block's, and one beyond every threshold of gemm_thresholds.cpp.
  std::vector<std::pair<int, int>> shapes;
  for (const int n : {1, 2, 3, 4, 7, 10, 16, 17, 31, 33, 64, 70, 200})
    for (const int k : {1, 2, 7, 16, 29, 64, 130, 300, 784}) shapes.emplace_back(n, k);
  shapes.insert(shapes.end(), {{1, 4000}, {4000, 1}, {3000, 10}, {10, 3000}, {1030, 1024}});
  for_each_table_of_programs([&](const Kernels<float>& kernels) {
    Exec exec;
    unsigned seed = 0;
    for (const auto& [n, k] : shapes)
      for (const bool trans_b : {false, true}) {
        SCOPED_TRACE((trans_b ? "NT n " : "NN n ") + std::to_string(n) + " k " + std::to_string(k));
        Random random(++seed);
        const int rows = n * k > 100'000 ? 33 : 70;
        const Floats a = random.floats(std::size_t(rows) * k),
                     b = random.floats(std::size_t(n) * k);
        Floats c(std::size_t(rows) * n);
        expect_rows_alone(rows, c, [&, n = n, k = k](int first, int count) {
          kernels.gemm(exec, {.trans_b = trans_b,
                              .m = count,
                              .n = n,
                              .k = k,
                              .a = a.data() + std::ptrdiff_t(first) * k,
                              .lda = k,
                              .b = b.data(),
                              .ldb = trans_b ? k : n,
                              .c = c.data() + std::ptrdiff_t(first) * n,
                              .ldc = n});
        });
      }
  });
}

constexpr int kImages = 11;

/// Geometries of the other tests with more images, and those of layers that a library takes.
std::vector<Window> windows_of_many() {
  std::vector<Window> all = conv_windows();
  all.resize(20);  // the chosen ones
  for (const Window& g :
       {window(1, 4, 4, 64, 64, 3, 3, 1, 1), window(1, 7, 7, 64, 128, 1, 1, 1, 0),
        window(1, 14, 14, 256, 64, 1, 1, 2, 0), window(1, 2, 2, 512, 96, 1, 1, 1, 0),
        window(1, 3, 3, 96, 40, 3, 3, 1, 1), sparse(window(1, 9, 9, 32, 32, 3, 3, 1, 1), 1, 32)})
    all.push_back(g);
  for (Window& g : all) g.batch = kImages;
  return all;
}

/// oneDNN compiles a kernel for each number of images, so it is asked for few. Tables that choose
/// are made of the others.
void expect_images_alone(const Kernels<float>& kernels, const Window& g, unsigned seed) {
  SCOPED_TRACE(describe(g));
  Random random(seed);
  const Floats x = random.floats(input_size(g)), w = random.floats(weights_size(g)),
               bias = random.floats(std::size_t(g.out_c)), dy = random.floats(output_size(g));
  const std::size_t in = x.size() / kImages, out = dy.size() / kImages;
  Floats y(dy.size()), dx(x.size());
  const auto run = [&](int first, int count) {
    Window some = g;
    some.batch = count;
    Scratch scratch(kernels.conv_scratch(some));
    const auto at = std::size_t(first);
    kernels.conv_forward(scratch.exec(), some, x.data() + at * in, w.data(), bias.data(),
                         Activation::gelu, y.data() + at * out);
    kernels.conv_backward_data(scratch.exec(), some, dy.data() + at * out, w.data(),
                               dx.data() + at * in);
  };
  run(0, kImages);
  const Floats whole_y = y, whole_dx = dx;
  for (const int most : {1, 4}) {
    for (int first = 0; first < kImages; first += most) run(first, std::min(most, kImages - first));
    ASSERT_TRUE(same_bits(whole_y, y)) << "y in calls of " << most;
    ASSERT_TRUE(same_bits(whole_dx, dx)) << "dx in calls of " << most;
  }
}

TEST(Rows, OfConvolutionsAreAlone) {
  if (on_gpu()) GTEST_SKIP() << "a device chooses its kernels by the number of images";
  prepare_thread();
  for (const NamedTable& t : tables()) {
    SCOPED_TRACE("table " + t.name);
    if (t.name != "oneDNN" && !t.name.starts_with("own") && t.name != "emulated") continue;
    unsigned seed = 0;
    for (const Window& g : windows_of_many()) expect_images_alone(t.kernels, g, ++seed);
  }
}

TEST(Rows, OfPoolsAreAlone) {
  for_each_table([](const Kernels<float>& kernels) {
    Exec exec;
    for (const Window& g :
         {window(kImages, 8, 8, 5, 5, 2, 2, 2, 0), window(kImages, 7, 9, 33, 33, 3, 3, 2, 0)}) {
      SCOPED_TRACE(describe(g));
      const Floats x = Random(3).floats(input_size(g));
      const std::size_t in = x.size() / kImages, out = output_size(g) / kImages;
      Floats y(output_size(g));
      std::vector<std::uint8_t> argmax(y.size());
      const auto part = [&](int count) {
        Window some = g;
        some.batch = count;
        return some;
      };
      expect_rows_alone(kImages, y, [&](int first, int count) {
        kernels.maxpool_forward(exec, part(count), x.data() + std::size_t(first) * in,
                                y.data() + std::size_t(first) * out,
                                argmax.data() + std::size_t(first) * out);
      });
      expect_rows_alone(kImages, y, [&](int first, int count) {
        kernels.avgpool_forward(exec, part(count), x.data() + std::size_t(first) * in,
                                y.data() + std::size_t(first) * out);
      });
    }
  });
}

/// A table of `rows` rows and what the kernels below need beside it.
struct Layer {
  Layer(int rows_, int cols_)
      : rows(rows_),
        cols(cols_),
        x(Random(1).floats(std::size_t(rows_) * std::size_t(cols_), -3, 3)),
        other(Random(2).floats(x.size())),
        scale(Random(3).floats(std::size_t(cols_))),
        shift(Random(4).floats(std::size_t(cols_))),
        variance(Random(5).floats(std::size_t(cols_), 0.1F, 2)),
        mean(std::size_t(rows_)),
        inverse(std::size_t(rows_)),
        y(x.size()) {}
  [[nodiscard]] std::size_t at(int row) const { return std::size_t(row) * std::size_t(cols); }
  int rows, cols;
  Floats x, other, scale, shift, variance, mean, inverse, y;
};

TEST(Rows, OfElementwiseKernelsAndNormsAreAlone) {
  for_each_table([](const Kernels<float>& k) {
    Exec exec;
    for (const int cols : {1, 3, 10, 16, 37, 100})
      for (const Activation act : {Activation::none, Activation::relu, Activation::tanh,
                                   Activation::sigmoid, Activation::gelu}) {
        SCOPED_TRACE(std::to_string(cols) + " columns, activation " +
                     std::to_string(static_cast<int>(act)));
        Layer l(70, cols);
        const auto expect = [&](const std::function<void(std::size_t, int, int)>& run) {
          expect_rows_alone(l.rows, l.y,
                            [&](int first, int count) { run(l.at(first), first, count); });
        };
        expect([&](std::size_t at, int, int count) {
          std::copy_n(l.x.data() + at, l.at(count), l.y.data() + at);
          k.bias_activation(exec, count, cols, l.shift.data(), act, l.y.data() + at);
        });
        expect([&](std::size_t at, int, int count) {
          k.activate(exec, l.at(count), act, l.x.data() + at, l.y.data() + at);
        });
        expect([&](std::size_t at, int, int count) {
          std::copy_n(l.other.data() + at, l.at(count), l.y.data() + at);
          k.activation_backward(exec, count, cols, act, l.x.data() + at, l.y.data() + at, nullptr);
        });
        expect([&](std::size_t at, int, int count) {
          k.add_activation(exec, count, cols, l.x.data() + at, l.other.data() + at, act,
                           l.y.data() + at);
        });
        expect([&](std::size_t at, int, int count) {
          k.batch_norm_forward(
              exec, {count, cols, l.x.data() + at, l.shift.data(), l.variance.data(), 1e-5,
                     l.scale.data(), l.shift.data(), act, l.y.data() + at});
        });
        expect([&](std::size_t at, int first, int count) {
          k.layer_norm_forward(
              exec, {count, cols, l.x.data() + at, 1e-5, l.scale.data(), l.shift.data(), act,
                     l.mean.data() + first, l.inverse.data() + first, l.y.data() + at});
        });
      }
  });
}

TEST(Rows, OfGathersAreAlone) {
  for_each_table([](const Kernels<float>& k) {
    Exec exec;
    for (const int cols : {1, 3, 16, 37, 100}) {
      Layer l(70, cols);
      std::vector<std::uint32_t> rows(70);
      std::iota(rows.rbegin(), rows.rend(), 0U);
      expect_rows_alone(70, l.y, [&](int first, int count) {
        k.gather(exec, {.f32 = l.x.data(),
                        .rows = rows.data() + first,
                        .count = count,
                        .cols = cols,
                        .shift = l.shift.data(),
                        .scale = l.scale.data(),
                        .out = l.y.data() + l.at(first)});
      });
    }
  });
}

TEST(Rows, OfLossGradientsAreAlone) {
  for_each_table([](const Kernels<float>& k) {
    Exec exec;
    for (const int cols : {1, 2, 3, 10, 16, 37}) {
      SCOPED_TRACE(std::to_string(cols) + " columns");
      Layer l(70, cols);
      std::vector<std::int32_t> labels(70);
      for (int i = 0; i < 70; ++i) labels[std::size_t(i)] = i * 7 % std::max(2, cols) % cols;
      expect_rows_alone(70, l.y, [&](int first, int count) {
        (void)k.softmax_cross_entropy(exec, {.rows = count,
                                             .classes = cols,
                                             .logits = l.x.data() + l.at(first),
                                             .labels = labels.data() + first,
                                             .smoothing = 0.1,
                                             .gradient_scale = 0.25F,
                                             .dlogits = l.y.data() + l.at(first)});
      });
      const DifferenceLossArgs<float> all{.cols = cols, .delta = 0.7F, .gradient_scale = 0.5F};
      for (const auto loss : {k.mean_squared_error, k.mean_absolute_error, k.huber})
        expect_rows_alone(70, l.y, [&](int first, int count) {
          DifferenceLossArgs<float> some = all;
          some.rows = count;
          some.prediction = l.x.data() + l.at(first);
          some.target = l.other.data() + l.at(first);
          some.dprediction = l.y.data() + l.at(first);
          (void)loss(exec, some);
        });
      if (cols > 1) continue;
      expect_rows_alone(70, l.y, [&](int first, int count) {
        (void)k.binary_cross_entropy(exec, {.rows = count,
                                            .logits = l.x.data() + first,
                                            .labels = labels.data() + first,
                                            .smoothing = 0.1,
                                            .gradient_scale = 0.25F,
                                            .dlogits = l.y.data() + first});
      });
    }
  });
}

}  // namespace
}  // namespace kern::test
