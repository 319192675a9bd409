#include "nn/trainer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "nn/data/block.h"
#include "nn/error.h"

namespace nn {

template <class T>
BatchReader<T>::BatchReader(const Network<T>& network, const DataView& data)
    : network_(&network), data_(&data) {}

template <class T>
std::size_t BatchReader<T>::target_bytes() const {
  const auto rows = static_cast<std::size_t>(network_->max_rows());
  const auto width = static_cast<std::size_t>(network_->outputs());
  return rows * (data_->labels != nullptr ? sizeof(std::int32_t) : width * sizeof(float));
}

template <class T>
Target BatchReader<T>::read(std::byte* arena, std::byte* targets,
                            std::span<const std::uint32_t> rows) const {
  kern::Exec exec = network_->exec(arena);
  network_->kernels().gather(exec, {.u8 = data_->u8,
                                    .f32 = data_->f32,
                                    .rows = rows.data(),
                                    .count = static_cast<int>(rows.size()),
                                    .cols = static_cast<int>(data_->shape.elements()),
                                    .shift = data_->shift,
                                    .scale = data_->scale,
                                    .out = network_->input(arena)});
  if (data_->labels != nullptr) {
    auto* labels = reinterpret_cast<std::int32_t*>(targets);
    for (std::size_t i = 0; i < rows.size(); ++i) labels[i] = data_->labels[rows[i]];
    return {.labels = labels};
  }
  if (data_->targets == nullptr) return {};
  auto* numbers = reinterpret_cast<float*>(targets);
  const auto width = static_cast<std::size_t>(network_->outputs());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(data_->targets + rows[i] * width, width, numbers + i * width);
  }
  return {.numbers = numbers};
}

template <class T>
std::size_t Trainer<T>::arena_bytes(const Network<T>& network, const DataView& data, int shards) {
  const std::size_t gradient = Block::aligned(network.layout().count * sizeof(T));
  return Block::aligned(network.arena_bytes()) + gradient * (shards > 1 ? 2 : 1) +
         BatchReader<T>(network, data).target_bytes();
}

template <class T>
Trainer<T>::Trainer(const Network<T>& network, const Loss& loss, const Update<T>& update,
                    const DataView& data, int shards, std::byte* arena)
    : network_(&network),
      loss_(&loss),
      update_(&update),
      reader_(network, data),
      shards_(shards),
      arena_(arena) {
  const std::size_t count = network.layout().count;
  const std::size_t bytes = Block::aligned(count * sizeof(T));
  std::byte* next = arena + Block::aligned(network.arena_bytes());
  gradient_ = reinterpret_cast<T*>(next);
  next += bytes;
  part_ = shards > 1 ? reinterpret_cast<T*>(next) : nullptr;
  if (shards > 1) next += bytes;
  targets_ = next;
  // The gaps between tensors take part in sums and updates, and are written by nobody.
  std::fill_n(gradient_, count, T(0));
  if (part_ != nullptr) std::fill_n(part_, count, T(0));
}

template <class T>
kern::LossSums Trainer<T>::step(std::span<const std::uint32_t> rows, T* weights, T* slots,
                                std::int64_t step) {
  const std::size_t batch = rows.size(), shards = static_cast<std::size_t>(shards_);
  const std::size_t count = network_->layout().count;
  const T scale = T(1) / static_cast<T>(batch);
  kern::Exec exec = network_->exec(arena_);
  kern::LossSums total;
  bool first = true;
  for (std::size_t i = 0; i < shards; ++i) {
    const std::size_t from = batch * i / shards, to = batch * (i + 1) / shards;
    if (from == to) continue;
    const Target target = reader_.read(arena_, targets_, rows.subspan(from, to - from));
    const auto sums = network_->loss_and_gradient(arena_, weights, static_cast<int>(to - from),
                                                  *loss_, target, scale, first ? gradient_ : part_);
    if (!first) network_->kernels().accumulate(exec, count, part_, gradient_);
    first = false;
    total.loss += sums.loss;
    total.correct += sums.correct;
  }
  if (std::isfinite(total.loss)) {
    update_->run(network_->kernels(), exec, count, weights, gradient_, slots, step);
  }
  return total;
}

void check_input(const ModelSpec& spec, const DataView& data) {
  if (spec.layers.empty()) throw Error("the network has no layers");
  if (spec.input.elements() != data.shape.elements()) {
    throw Error("the network takes " + spec.input.text() + " inputs, the data has " +
                data.shape.text());
  }
}

template <class T>
void check_fit(const Network<T>& network, const DataView& data, const Loss& loss) {
  check_input(network.spec(), data);
  if (network.outputs() != data.outputs) {
    throw Error("the network has " + std::to_string(network.outputs()) + " outputs, the data " +
                std::to_string(data.outputs) + (data.labels != nullptr ? " classes" : " targets"));
  }
  const bool wants_labels = loss.target() == TargetKind::labels;
  if (wants_labels != (data.labels != nullptr)) {
    throw Error("loss " + loss.info().kind + " is for " + (wants_labels ? "classes" : "numbers") +
                ", but the target holds " + (wants_labels ? "numbers" : "classes"));
  }
}

template class BatchReader<float>;
template class BatchReader<double>;
template class Trainer<float>;
template class Trainer<double>;
template void check_fit(const Network<float>&, const DataView&, const Loss&);
template void check_fit(const Network<double>&, const DataView&, const Loss&);

}  // namespace nn
