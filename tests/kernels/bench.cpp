#include "tests/kernels/bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include "kernels/cpu/gemm_library.h"
#include "tests/kernels/window_cases.h"

namespace kern::test {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_of(const std::function<void()>& work, int repeats) {
  const auto start = Clock::now();
  for (int i = 0; i < repeats; ++i) work();
  return std::chrono::duration<double>(Clock::now() - start).count() / repeats;
}

/// The best time of each contender in seconds; they take turns, so that a noisy moment hits all
/// alike.
std::vector<double> race(const std::vector<std::function<void()>>& contenders) {
  constexpr double kSlice = 2e-4, kBudget = 0.06;
  std::vector<double> best;
  std::vector<int> repeats;
  for (const auto& work : contenders) {
    work();
    best.push_back(seconds_of(work, 1));
    repeats.push_back(std::max(1, static_cast<int>(kSlice / best.back())));
  }
  const auto end =
      Clock::now() + std::chrono::duration<double>(kBudget * double(contenders.size()));
  for (int round = 0; round < 5 || Clock::now() < end; ++round)
    for (std::size_t i = 0; i < contenders.size(); ++i)
      best[i] = std::min(best[i], seconds_of(contenders[i], repeats[i]));
  return best;
}

/// Multiply-adds of one core without memory: a product whose operands stay in the first-level
/// cache.
double peak_gflops(const Kernels<float>& k) {
  const Floats a(28 * 256, 0.5f), b(256 * 32, 0.5f);
  Floats c(28 * 32);
  Exec exec;
  const auto best = race({[&] {
    k.gemm(exec, {.m = 28,
                  .n = 32,
                  .k = 256,
                  .a = a.data(),
                  .lda = 256,
                  .b = b.data(),
                  .ldb = 32,
                  .c = c.data(),
                  .ldc = 32});
  }});
  return 2e-9 * 28 * 32 * 256 / best[0];
}

void bench_gemm(const Kernels<float>& k, double peak) {
  struct Case {
    bool trans_a, trans_b;
    int m, n, k;
  };
  const Case cases[] = {
      {false, false, 32, 64, 64},    {true, false, 64, 64, 32},    {false, true, 32, 64, 64},
      {false, false, 32, 10, 64},    {true, false, 64, 10, 32},    {false, true, 32, 64, 10},
      {false, false, 64, 10, 64},    {false, false, 64, 256, 784}, {true, false, 784, 256, 64},
      {false, false, 64, 128, 256},  {true, false, 256, 128, 64},  {false, true, 64, 256, 128},
      {false, false, 128, 512, 784}, {true, false, 784, 512, 128}, {false, false, 128, 256, 512},
      {false, true, 128, 512, 256},  {false, false, 64, 32, 784},  {false, false, 64, 512, 1024},
      {true, false, 1024, 512, 64},  {false, false, 64, 1, 128},   {false, false, 256, 2048, 2048}};
  std::printf("%-28s %10s %8s %6s %10s %10s\n", "matrix product", "us", "GF/s", "%", "OpenBLAS",
              "oneDNN");
  for (const Case& c : cases) {
    const Floats a(std::size_t(c.m) * c.k, 0.5f), b(std::size_t(c.k) * c.n, 0.25f);
    Floats out(std::size_t(c.m) * c.n);
    Exec exec;
    const GemmArgs<float> args{.trans_a = c.trans_a,
                               .trans_b = c.trans_b,
                               .m = c.m,
                               .n = c.n,
                               .k = c.k,
                               .a = a.data(),
                               .lda = c.trans_a ? c.m : c.k,
                               .b = b.data(),
                               .ldb = c.trans_b ? c.k : c.n,
                               .c = out.data(),
                               .ldc = c.n};
    const auto best = race({[&] { k.gemm(exec, args); }, [&] { cpu::openblas_gemm(args); },
                            [&] { cpu::onednn_gemm(args); }});
    const double work = 2e-9 * c.m * c.n * c.k;
    std::printf("%c%c %5d x %5d x %5d        %10.2f %8.1f %6.1f %10.1f %10.1f\n",
                c.trans_a ? 'T' : 'N', c.trans_b ? 'T' : 'N', c.m, c.n, c.k, best[0] * 1e6,
                work / best[0], 100 * work / best[0] / peak, work / best[1], work / best[2]);
  }
}

void bench_conv(const Kernels<float>& k, double peak) {
  std::printf("%-44s %10s %8s %6s\n", "convolution, batch 64", "us", "GF/s", "%");
  for (const Window& g :
       {window(64, 28, 28, 1, 32, 5, 5, 1, 0), window(64, 12, 12, 32, 64, 5, 5, 1, 0),
        window(64, 28, 28, 1, 6, 5, 5, 1, 0), window(64, 12, 12, 6, 16, 5, 5, 1, 0),
        window(64, 32, 32, 3, 32, 3, 3, 1, 1)}) {
    const Floats x(input_size(g), 0.5f), w(weights_size(g), 0.1f), bias(std::size_t(g.out_c)),
        dy(output_size(g), 0.1f);
    Floats y(dy.size()), dx(x.size()), dw(w.size());
    Scratch scratch(k.conv_scratch(g));
    Exec& e = scratch.exec();
    const auto best = race(
        {[&] { k.conv_forward(e, g, x.data(), w.data(), bias.data(), Activation::relu, y.data()); },
         [&] { k.conv_backward_data(e, g, dy.data(), w.data(), dx.data()); },
         [&] { k.conv_backward_weights(e, g, x.data(), dy.data(), dw.data()); }});
    const double work = 2e-9 * double(output_size(g)) * g.kernel_h * g.kernel_w * g.in_c;
    const char* names[] = {"forward", "backward data", "backward weights"};
    for (std::size_t i = 0; i < 3; ++i)
      std::printf("%-27s %-16s %10.1f %8.1f %6.1f\n", describe(g).c_str(), names[i], best[i] * 1e6,
                  work / best[i], 100 * work / best[i] / peak);
  }
}

void bench_rest(const Kernels<float>& k) {
  constexpr int kRows = 64, kCols = 256, kPixels = 784, kWeights = 235146;
  Random random(1);
  Floats y = random.floats(kRows * kCols), dy(y), dbias(kCols), w(kWeights), g(kWeights, 0.1f),
         m(kWeights), v(kWeights);
  const Floats bias(kCols), shift(kPixels), scale(kPixels, 1.0f / 255);
  Floats logits = random.floats(kRows * 10), dlogits(logits.size()), batch(kRows * kPixels);
  const std::vector<std::int32_t> labels(kRows, 3);
  const std::vector<std::uint8_t> pixels(10000 * kPixels, 7);
  std::vector<std::uint32_t> rows(kRows);
  for (auto& r : rows) r = static_cast<std::uint32_t>(random.below(10000));
  const Window pool = [] {
    Window p = window(64, 24, 24, 32, 32, 2, 2, 2, 0);
    return p;
  }();
  const Floats image = random.floats(input_size(pool));
  Floats pooled(output_size(pool)), dimage(image.size());
  std::vector<std::uint8_t> where(pooled.size());
  Exec e;
  const std::pair<const char*, std::function<void()>> cases[] = {
      {"bias + relu 64 x 256",
       [&] { k.bias_activation(e, kRows, kCols, bias.data(), Activation::relu, y.data()); }},
      {"bias + tanh 64 x 256",
       [&] { k.bias_activation(e, kRows, kCols, bias.data(), Activation::tanh, y.data()); }},
      {"relu backward 64 x 256",
       [&] {
         k.activation_backward(e, kRows, kCols, Activation::relu, y.data(), dy.data(),
                               dbias.data());
       }},
      {"softmax 64 x 10",
       [&] {
         k.softmax_cross_entropy(e, {.rows = kRows,
                                     .classes = 10,
                                     .logits = logits.data(),
                                     .labels = labels.data(),
                                     .gradient_scale = 0.1f,
                                     .dlogits = dlogits.data()});
       }},
      {"gather bytes 64 x 784",
       [&] {
         k.gather(e, {.u8 = pixels.data(),
                      .rows = rows.data(),
                      .count = kRows,
                      .cols = kPixels,
                      .shift = shift.data(),
                      .scale = scale.data(),
                      .out = batch.data()});
       }},
      {"sgd + momentum 235,146",
       [&] {
         k.sgd(e, {.count = kWeights,
                   .weights = w.data(),
                   .gradient = g.data(),
                   .velocity = m.data(),
                   .lr = 1e-6,
                   .momentum = 0.9});
       }},
      {"adam 235,146",
       [&] {
         k.adam(e, {.count = kWeights,
                    .weights = w.data(),
                    .gradient = g.data(),
                    .m = m.data(),
                    .v = v.data(),
                    .lr = 1e-6,
                    .step = 100});
       }},
      {"max pool 64x24x24x32 / 2",
       [&] { k.maxpool_forward(e, pool, image.data(), pooled.data(), where.data()); }},
      {"max pool backward",
       [&] { k.maxpool_backward(e, pool, pooled.data(), where.data(), dimage.data()); }}};
  std::printf("%-44s %10s\n", "the rest", "us");
  for (const auto& [name, work] : cases) std::printf("%-44s %10.2f\n", name, race({work})[0] * 1e6);
}

/// Normalisation and dropout over `rows` x `cols`; the rate counts each number read and written
/// once.
void bench_norms(const Kernels<float>& k, int rows, int cols) {
  Exec e;
  Random random(1);
  const std::size_t size = std::size_t(rows) * cols;
  const Floats x = random.floats(size), scale = random.floats(cols), shift = random.floats(cols);
  Floats y(size), dx(size), dy = random.floats(size), mean(cols), variance(cols), dscale(cols),
                            row_mean(rows), inverse(rows);
  std::vector<std::uint8_t> kept(size);
  k.column_moments(e, rows, cols, x.data(), mean.data(), variance.data());
  const BatchNormArgs<float> batch{
      rows, cols,         x.data(),     mean.data(),      variance.data(),
      1e-5, scale.data(), shift.data(), Activation::relu, y.data()};
  const BatchNormGradientArgs<float> batch_back{
      rows,         cols,      x.data(),     mean.data(),   variance.data(), 1e-5,
      scale.data(), dy.data(), shift.data(), dscale.data(), dx.data()};
  const LayerNormArgs<float> layer{rows,           cols,         x.data(),         1e-5,
                                   scale.data(),   shift.data(), Activation::relu, row_mean.data(),
                                   inverse.data(), y.data()};
  const LayerNormGradientArgs<float> layer_back{
      rows,         cols,      x.data(),      row_mean.data(), inverse.data(),
      scale.data(), dy.data(), dscale.data(), dx.data()};
  const DropoutArgs<float> drop{.rows = rows,
                                .units = cols,
                                .key = 1,
                                .rate = 0.5,
                                .x = x.data(),
                                .y = y.data(),
                                .kept = kept.data()};
  struct Case {
    const char* name;
    double passes;
    std::function<void()> work;
  };
  const Case cases[] = {
      {"column moments", 1,
       [&] { k.column_moments(e, rows, cols, x.data(), mean.data(), variance.data()); }},
      {"batch norm forward", 2, [&] { k.batch_norm_forward(e, batch); }},
      {"batch norm backward", 3, [&] { k.batch_norm_backward(e, batch_back); }},
      {"layer norm forward", 2, [&] { k.layer_norm_forward(e, layer); }},
      {"layer norm backward", 3, [&] { k.layer_norm_backward(e, layer_back); }},
      {"dropout forward", 2, [&] { k.dropout_forward(e, drop); }},
      {"dropout backward", 2,
       [&] { k.dropout_backward(e, size, 0.5, kept.data(), dy.data(), dx.data()); }}};
  std::printf("%-44s %10s %8s\n", (std::to_string(rows) + " x " + std::to_string(cols)).c_str(),
              "us", "GB/s");
  for (const auto& [name, passes, work] : cases) {
    const double best = race({work})[0];
    std::printf("%-44s %10.2f %8.1f\n", name, best * 1e6, passes * 4e-9 * double(size) / best);
  }
}

/// One Adam step of a dense network as a layer would call the table.
class Perceptron {
 public:
  Perceptron(const Kernels<float>& k, std::vector<int> sizes, int batch)
      : k_(k), sizes_(std::move(sizes)), batch_(batch) {
    Random random(1);
    for (std::size_t l = 0; l + 1 < sizes_.size(); ++l) {
      offsets_.push_back(weights_.size());
      const Floats w =
          random.floats(std::size_t(sizes_[l]) * sizes_[l + 1] + sizes_[l + 1], -0.1f, 0.1f);
      weights_.insert(weights_.end(), w.begin(), w.end());
    }
    for (const int size : sizes_) values_.push_back(random.floats(std::size_t(batch) * size));
    gradients_ = values_;
    gradient_.resize(weights_.size());
    m_ = v_ = Floats(weights_.size());
    labels_.assign(std::size_t(batch), 1);
    table_ = random.floats(1000 * std::size_t(sizes_[0]));
    for (int i = 0; i < batch; ++i) rows_.push_back(static_cast<std::uint32_t>(random.below(1000)));
    shift_.assign(std::size_t(sizes_[0]), 0);
    scale_.assign(std::size_t(sizes_[0]), 1);
  }

  void step() {
    k_.gather(e_, {.f32 = table_.data(),
                   .rows = rows_.data(),
                   .count = batch_,
                   .cols = sizes_[0],
                   .shift = shift_.data(),
                   .scale = scale_.data(),
                   .out = values_[0].data()});
    const std::size_t layers = offsets_.size();
    for (std::size_t l = 0; l < layers; ++l) {
      const int in = sizes_[l], out = sizes_[l + 1];
      const float* w = weights_.data() + offsets_[l];
      k_.gemm(e_, {.m = batch_,
                   .n = out,
                   .k = in,
                   .a = values_[l].data(),
                   .lda = in,
                   .b = w,
                   .ldb = out,
                   .c = values_[l + 1].data(),
                   .ldc = out});
      k_.bias_activation(e_, batch_, out, w + in * out,
                         l + 1 < layers ? Activation::relu : Activation::none,
                         values_[l + 1].data());
    }
    k_.softmax_cross_entropy(e_, {.rows = batch_,
                                  .classes = sizes_.back(),
                                  .logits = values_.back().data(),
                                  .labels = labels_.data(),
                                  .gradient_scale = 1.0f / float(batch_),
                                  .dlogits = gradients_.back().data()});
    for (std::size_t l = layers; l-- > 0;) {
      const int in = sizes_[l], out = sizes_[l + 1];
      float* dw = gradient_.data() + offsets_[l];
      k_.activation_backward(e_, batch_, out, l + 1 < layers ? Activation::relu : Activation::none,
                             values_[l + 1].data(), gradients_[l + 1].data(), dw + in * out);
      k_.gemm(e_, {.trans_a = true,
                   .m = in,
                   .n = out,
                   .k = batch_,
                   .a = values_[l].data(),
                   .lda = in,
                   .b = gradients_[l + 1].data(),
                   .ldb = out,
                   .c = dw,
                   .ldc = out});
      if (l > 0)
        k_.gemm(e_, {.trans_b = true,
                     .m = batch_,
                     .n = in,
                     .k = out,
                     .a = gradients_[l + 1].data(),
                     .lda = out,
                     .b = weights_.data() + offsets_[l],
                     .ldb = out,
                     .c = gradients_[l].data(),
                     .ldc = in});
    }
    k_.adam(e_, {.count = weights_.size(),
                 .weights = weights_.data(),
                 .gradient = gradient_.data(),
                 .m = m_.data(),
                 .v = v_.data(),
                 .lr = 1e-6,
                 .step = 100});
  }

  /// Multiply-adds of a step counted twice, without the first layer's data gradient.
  [[nodiscard]] double flops() const {
    double sum = 0;
    for (std::size_t l = 0; l + 1 < sizes_.size(); ++l)
      sum += (l > 0 ? 6.0 : 4.0) * batch_ * sizes_[l] * sizes_[l + 1];
    return sum;
  }

 private:
  const Kernels<float>& k_;
  std::vector<int> sizes_;
  int batch_;
  Exec e_;
  std::vector<std::size_t> offsets_;
  Floats weights_, gradient_, m_, v_, table_, shift_, scale_;
  std::vector<Floats> values_, gradients_;
  std::vector<std::int32_t> labels_;
  std::vector<std::uint32_t> rows_;
};

void bench_steps(const Kernels<float>& k, double peak) {
  const std::pair<std::vector<int>, int> nets[] = {{{64, 64, 64, 10}, 32},
                                                   {{64, 32, 10}, 32},
                                                   {{784, 64, 10}, 64},
                                                   {{784, 256, 128, 10}, 64},
                                                   {{784, 512, 256, 10}, 128}};
  std::printf("%-44s %10s %8s %6s\n", "one Adam step of a dense network", "us", "GF/s", "%");
  for (const auto& [sizes, batch] : nets) {
    Perceptron net(k, sizes, batch);
    std::string name = "batch " + std::to_string(batch) + ":";
    for (const int s : sizes) name += ' ' + std::to_string(s);
    const double best = race({[&] { net.step(); }})[0], work = net.flops() * 1e-9;
    std::printf("%-44s %10.1f %8.1f %6.1f\n", name.c_str(), best * 1e6, work / best,
                100 * work / best / peak);
  }
}

}  // namespace

int run_benchmarks() {
  prepare_thread();
  const Kernels<float>& k = cpu_kernels();
  const double peak = peak_gflops(k);
  std::printf("%s\nmultiply-add peak of one core: %.1f GF/s\n", std::string(fingerprint()).c_str(),
              peak);
  bench_steps(k, peak);
  bench_gemm(k, peak);
  bench_conv(k, peak);
  bench_rest(k);
  bench_norms(k, 64, 256);
  bench_norms(k, 64 * 12 * 12, 16);
  return 0;
}

}  // namespace kern::test
