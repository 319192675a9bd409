#include "nn/training/batch_reader.h"

#include <string>

#include "base/error.h"

namespace nn {
namespace {

/// The arrays that kernels read.
ResidentTable table_of(const DataView& data) {
  if (data.resident != nullptr) return *data.resident;
  return {data.u8, data.f32, data.shift, data.scale, data.labels, data.targets};
}

}  // namespace

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
                            std::span<const std::uint32_t> rows, const kern::ImageMove* moves,
                            kern::StepBuffer* step_buffer) const {
  return read(arena, targets, table_of(*data_), rows, moves, step_buffer);
}

template <class T>
Target BatchReader<T>::read(std::byte* arena, std::byte* targets, const ResidentTable& table,
                            std::span<const std::uint32_t> rows, const kern::ImageMove* moves,
                            kern::StepBuffer* step_buffer) const {
  const kern::Kernels<T>& kernels = network_->kernels();
  kern::Exec exec = network_->exec(arena, step_buffer);
  const kern::GatherArgs<T> gather{.u8 = table.u8,
                                   .f32 = table.f32,
                                   .rows = rows.data(),
                                   .count = static_cast<int>(rows.size()),
                                   .cols = static_cast<int>(data_->shape.elements()),
                                   .shift = table.shift,
                                   .scale = table.scale,
                                   .out = network_->input(arena)};
  if (moves == nullptr) {
    kernels.gather(exec, gather);
  } else {
    const Shape& shape = data_->shape;
    kernels.gather_images(exec, {gather, shape.height(), shape.width(), shape.channels(), moves});
  }
  const bool labels = data_->labels != nullptr;
  if (!labels && data_->targets == nullptr) return {};
  kernels.copy_rows(exec, {.table = labels ? static_cast<const void*>(table.labels) : table.targets,
                           .rows = rows.data(),
                           .count = static_cast<int>(rows.size()),
                           .words = labels ? 1 : static_cast<std::size_t>(network_->outputs()),
                           .out = targets});
  if (labels) return {.labels = reinterpret_cast<const std::int32_t*>(targets)};
  return {.numbers = reinterpret_cast<const float*>(targets)};
}

void check_input(const ModelSpec& spec, const DataView& data) {
  if (spec.layers.empty()) throw base::Error(base::Errc::study, "the network has no layers");
  if (spec.input.elements() != data.shape.elements()) {
    throw base::Error(base::Errc::study, "the network takes " + spec.input.text() +
                                             " inputs, the data has " + data.shape.text());
  }
}

template <class T>
void check_fit(const Network<T>& network, const DataView& data, const Loss& loss) {
  check_input(network.spec(), data);
  const bool wants_labels = loss.target() == TargetKind::labels;
  if (wants_labels != (data.labels != nullptr)) {
    throw base::Error(base::Errc::study, "loss " + loss.info().kind + " is for " +
                                             (wants_labels ? "classes" : "numbers") +
                                             ", but the target holds " +
                                             (wants_labels ? "numbers" : "classes"));
  }
  if (network.outputs() != loss.outputs(data.outputs)) {
    throw base::Error(base::Errc::study, "the network has " + std::to_string(network.outputs()) +
                                             " outputs, the data " + std::to_string(data.outputs) +
                                             (wants_labels ? " classes" : " targets"));
  }
}

template class BatchReader<float>;
template class BatchReader<double>;
template void check_fit(const Network<float>&, const DataView&, const Loss&);
template void check_fit(const Network<double>&, const DataView&, const Loss&);

}  // namespace nn
