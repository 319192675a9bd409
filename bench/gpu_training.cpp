#include "bench/gpu_training.h"

#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "nn/model/init.h"
#include "nn/training/train.h"
#include "tasks/device.h"

namespace bench {

namespace {

nn::LayerSpec dense(std::int64_t units) { return {"dense", "", {{"units", units}}}; }
nn::LayerSpec conv(std::int64_t units) {
  return {"conv2d", "", {{"units", units}, {"padding", "same"}}};
}

std::size_t bytes_of(const nn::Shape& input, Numbers numbers, int batches) {
  return static_cast<std::size_t>(input.elements()) * static_cast<std::size_t>(batches) *
         kGpuBatch * (numbers == Numbers::bytes ? sizeof(std::uint8_t) : sizeof(float));
}

}  // namespace

const kern::Device& cuda_device_for(std::string_view benchmark) {
  std::string why;
  const kern::Device* device = tasks::cuda_device(why);
  if (device == nullptr)
    throw base::Error(base::Errc::no_device, base::cat("bench ", benchmark, ": ", why));
  kern::prepare_thread();
  return *device;
}

There::There(const kern::Memory& memory, std::size_t bytes)
    : memory_(memory), at_(static_cast<std::byte*>(memory.allocate(bytes))) {
  memory.zero(at_, bytes);
}

void There::wait() const {
  std::byte one{};
  memory_.get(&one, at_, 1);
}

nn::ModelSpec mlp_of(const std::vector<int>& units) {
  nn::ModelSpec model{nn::Shape::features(784), {}};
  for (const int one : units) model.layers.push_back(dense(one));
  return nn::complete(nn::with_output(model, kGpuClasses));
}

nn::ModelSpec vgg() {
  const nn::LayerSpec pool{"max_pool", "", {}}, flat{"flatten", "", {}};
  return nn::complete(nn::with_output({nn::Shape::image(32, 32, 3),
                                       {conv(64), conv(64), pool, conv(128), conv(128), pool,
                                        conv(256), conv(256), pool, flat, dense(512)}},
                                      kGpuClasses));
}

RandomTable::RandomTable(const kern::Memory& memory, const nn::Shape& input, Numbers numbers,
                         int batches)
    : input_(input),
      shift_(static_cast<std::size_t>(input.elements())),
      scale_(shift_.size(), 1.0F / 255),
      x_(memory, bytes_of(input, numbers, batches)),
      y_(memory, static_cast<std::size_t>(batches) * kGpuBatch * sizeof(std::int32_t)),
      shift_there_(memory, shift_.size() * sizeof(float)),
      scale_there_(memory, scale_.size() * sizeof(float)) {
  const std::size_t count = static_cast<std::size_t>(batches) * kGpuBatch;
  base::Stream random(1, "gpu");
  const auto pixel = [&] { return static_cast<std::uint8_t>(random.below(256)); };
  if (numbers == Numbers::bytes) {
    bytes_.resize(count * shift_.size());
    for (auto& one : bytes_) one = pixel();
    x_.fill(bytes_);
  } else {
    floats_.resize(count * shift_.size());
    for (auto& one : floats_) one = pixel();
    x_.fill(floats_);
  }
  for (std::size_t i = 0; i < count; ++i) {
    labels_.push_back(static_cast<std::int32_t>(random.below(kGpuClasses)));
    rows_.push_back(static_cast<std::uint32_t>(i));
  }
  y_.fill(labels_);
  scale_there_.fill(scale_);
  resident_ = {.u8 = bytes_.empty() ? nullptr : x_.at<std::uint8_t>(),
               .f32 = floats_.empty() ? nullptr : x_.at<float>(),
               .shift = shift_there_.at<float>(),
               .scale = scale_there_.at<float>(),
               .labels = y_.at<std::int32_t>()};
}

nn::DataView RandomTable::view(Rows where) const {
  nn::DataView view{
      .shape = input_, .labels = labels_.data(), .outputs = kGpuClasses, .rows = rows_};
  if (where == Rows::resident) {
    view.resident = &resident_;
    return view;
  }
  view.u8 = bytes_.empty() ? nullptr : bytes_.data();
  view.f32 = floats_.empty() ? nullptr : floats_.data();
  view.shift = shift_.data();
  view.scale = scale_.data();
  return view;
}

Training::Training(const kern::Kernels<float>& kernels, const nn::ModelSpec& model,
                   const nn::DataView& rows, int batch)
    : kernels_(kernels),
      rows_(rows),
      hyper_(nn::complete(nn::Hyper{.loss = {"cross_entropy", {}},
                                    .optimizer = {"sgd", {{"lr", 1e-3}}},
                                    .batch = batch,
                                    .precision = kernels.precision})),
      net_(nn::slab_header(model, hyper_.optimizer)),
      slab_(*kernels.memory, net_.bytes().size()) {
  nn::init_weights(net_, 1);
  kernels.memory->put(slab_.at(), net_.bytes().data(), net_.bytes().size());
}

double Training::run(int epochs) {
  nn::ParamSlab there(net_.header(), slab_.at());
  const base::Moment begin = base::now();
  const nn::TrainStats stats =
      nn::train_steps(kernels_, workspace_, there, rows_, hyper_, {epoch_, epoch_ + epochs});
  epoch_ += epochs;
  return base::seconds_since(begin) / static_cast<double>(stats.steps);
}

Sample time_steps(const kern::Kernels<float>& kernels, const nn::ModelSpec& model,
                  const nn::DataView& rows, int repetitions) {
  Training training(kernels, model, rows);
  return repeat(repetitions, [&] { return training.run(1); });
}

}  // namespace bench
