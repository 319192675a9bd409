// Training on a GPU, held against the time that its library takes for the same products alone.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/bench.h"
#include "bench/measure.h"
#include "kernels/device.h"
#include "nn/init.h"
#include "nn/train.h"
#include "runtime/base/clock.h"
#include "runtime/base/error.h"
#include "runtime/base/random.h"
#include "runtime/base/text.h"

namespace bench {

namespace {

constexpr int kBatch = 512, kClasses = 10, kBatches = 4;

/// Memory of the device.
class There {
 public:
  There(const kern::Memory& memory, std::size_t bytes)
      : memory_(memory), at_(static_cast<std::byte*>(memory.allocate(bytes))) {
    memory.zero(at_, bytes);
  }
  There(const There&) = delete;
  There& operator=(const There&) = delete;
  ~There() { memory_.release(at_); }

  template <class T = std::byte>
  [[nodiscard]] T* at() const {
    return reinterpret_cast<T*>(at_);
  }
  template <class T>
  void fill(const std::vector<T>& values) {
    memory_.put(at_, values.data(), values.size() * sizeof(T));
  }
  /// Waits for all that was asked of the device.
  void wait() const {
    std::byte one;
    memory_.get(&one, at_, 1);
  }

 private:
  const kern::Memory& memory_;
  std::byte* at_;
};

nn::LayerSpec dense(std::int64_t units) { return {"dense", "", {{"units", units}}}; }
nn::LayerSpec conv(std::int64_t units) {
  return {"conv2d", "", {{"units", units}, {"padding", "same"}}};
}

/// 784-4096-4096-10, and convolutions as VGG has them for 32x32 pixels.
nn::ModelSpec wide_mlp() {
  return nn::with_output({nn::Shape::features(784), {dense(4096), dense(4096)}}, kClasses);
}
nn::ModelSpec vgg() {
  const nn::LayerSpec pool{"max_pool", "", {}}, flat{"flatten", "", {}};
  return nn::with_output({nn::Shape::image(32, 32, 3),
                          {conv(64), conv(64), pool, conv(128), conv(128), pool, conv(256),
                           conv(256), pool, flat, dense(512)}},
                         kClasses);
}

/// A product of a network's step.
struct Product {
  int m, n, k;
};

/// The products of a step: of each layer forwards, for its weights, and for what enters it.
std::vector<Product> products(const nn::ModelSpec& spec) {
  std::vector<Product> all;
  const std::vector<nn::Flow> flows = nn::infer_flows(spec);
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const nn::Shape &in = flows[i].shape, &out = flows[i + 1].shape;
    const bool is_conv = spec.layers[i].kind == "conv2d";
    if (!is_conv && spec.layers[i].kind != "dense") continue;
    const int rows = is_conv ? kBatch * out.height() * out.width() : kBatch;
    const int depth = is_conv ? 9 * in.channels() : static_cast<int>(in.elements());
    const int units = is_conv ? out.channels() : static_cast<int>(out.elements());
    all.push_back({rows, units, depth});
    all.push_back({depth, units, rows});
    if (i > 0) all.push_back({rows, depth, units});
  }
  return all;
}

/// Seconds of the products alone, one after another.
Sample time_products(const kern::Kernels<float>& kernels, const std::vector<Product>& all,
                     int repetitions) {
  std::size_t a = 0, b = 0, c = 0;
  for (const Product& p : all) {
    a = std::max(a, std::size_t(p.m) * std::size_t(p.k));
    b = std::max(b, std::size_t(p.k) * std::size_t(p.n));
    c = std::max(c, std::size_t(p.m) * std::size_t(p.n));
  }
  const kern::Memory& memory = *kernels.memory;
  const There left(memory, 4 * a), right(memory, 4 * b), out(memory, 4 * c);
  kern::Exec exec;
  return repeat(repetitions, [&] {
    out.wait();
    const rt::Moment begin = rt::now();
    for (const Product& p : all) {
      kernels.gemm(exec, {.m = p.m,
                          .n = p.n,
                          .k = p.k,
                          .a = left.at<float>(),
                          .lda = p.k,
                          .b = right.at<float>(),
                          .ldb = p.n,
                          .c = out.at<float>(),
                          .ldc = p.n});
    }
    out.wait();
    return rt::seconds_since(begin);
  });
}

/// Seconds of a step of training on random rows.
Sample time_steps(const kern::Kernels<float>& kernels, const nn::ModelSpec& model,
                  int repetitions) {
  const kern::Memory& memory = *kernels.memory;
  const nn::Hyper hyper = nn::complete(nn::Hyper{.loss = {"cross_entropy", {}},
                                                 .optimizer = {"sgd", {{"lr", 1e-3}}},
                                                 .batch = kBatch,
                                                 .shards = 1,
                                                 .precision = kernels.precision});
  nn::ParamSlab net(nn::slab_header(model, hyper.optimizer));
  nn::init_weights(net, 1);
  There slab(memory, net.bytes().size());
  memory.put(slab.at(), net.bytes().data(), net.bytes().size());
  nn::ParamSlab there(net.header(), slab.at());

  const auto cols = static_cast<std::size_t>(model.input.elements());
  constexpr std::size_t kRows = std::size_t{kBatch} * kBatches;
  rt::Stream random(1, "gpu");
  std::vector<std::uint8_t> pixels(kRows * cols);
  for (auto& p : pixels) p = static_cast<std::uint8_t>(random.below(256));
  std::vector<std::int32_t> labels(kRows);
  for (auto& l : labels) l = static_cast<std::int32_t>(random.below(kClasses));
  std::vector<std::uint32_t> rows(kRows);
  for (std::size_t i = 0; i < kRows; ++i) rows[i] = static_cast<std::uint32_t>(i);
  There x(memory, pixels.size()), y(memory, 4 * kRows), shift(memory, 4 * cols),
      scale(memory, 4 * cols);
  x.fill(pixels);
  y.fill(labels);
  scale.fill(std::vector<float>(cols, 1.0F / 255));
  const nn::ResidentTable table{.u8 = x.at<std::uint8_t>(),
                                .shift = shift.at<float>(),
                                .scale = scale.at<float>(),
                                .labels = y.at<std::int32_t>()};
  const nn::DataView view{.shape = model.input,
                          .labels = labels.data(),
                          .outputs = kClasses,
                          .rows = rows,
                          .resident = &table};
  nn::Workspace workspace;
  std::int64_t epoch = 0;
  return repeat(repetitions, [&] {
    const rt::Moment begin = rt::now();
    const nn::TrainStats stats =
        nn::train_steps(kernels, workspace, there, view, hyper, {epoch, epoch + 1});
    ++epoch;
    return rt::seconds_since(begin) / static_cast<double>(stats.steps);
  });
}

}  // namespace

std::vector<Case> run_gpu(const Options& options) {
  std::string why;
  const kern::Device* device = kern::cuda_device(why);
  if (device == nullptr) throw rt::Error(rt::Errc::no_device, "bench gpu: " + why);
  kern::prepare_thread();
  std::vector<Case> cases;
  const int repetitions = options.quick ? 3 : 20;
  for (const auto& [name, model] :
       {std::pair{"MLP 784-4096-4096-10, batch 512", nn::complete(wide_mlp())},
        std::pair{"convolutions as VGG's, 32x32, batch 512", nn::complete(vgg())}}) {
    for (const kern::Precision precision : kern::precisions()) {
      const kern::Kernels<float>& kernels = device->kernels(precision);
      const Sample ours = time_steps(kernels, model, repetitions);
      const Sample alone = time_products(kernels, products(model), repetitions);
      cases.push_back({rt::cat(name, ", ", kern::precision_name(precision)), 1e3 * ours.median,
                       "ms/step", "cuBLAS, the products alone", 1e3 * alone.median,
                       alone.median / ours.median, ours.spread});
    }
  }
  return cases;
}

}  // namespace bench
