#pragma once
// What training and evaluating take of a device's memory, before they run.

#include <cstddef>

#include "kernels/kernels.h"
#include "nn/data/feed.h"
#include "nn/hyper.h"
#include "nn/spec.h"

namespace nn {

/// Bytes that train_steps() asks its workspace for on the memory of `kernels`, or a few more:
/// beside the network's own bytes and the table. Throws SpecError.
[[nodiscard]] std::size_t training_memory(const kern::Kernels<float>& kernels,
                                          const ModelSpec& spec, const Hyper& hyper);

/// The same of evaluate().
[[nodiscard]] std::size_t scoring_memory(const kern::Kernels<float>& kernels,
                                         const ModelSpec& spec);

/// Bytes more of either on a device with that memory where the table is fed (nn/data/feed.h);
/// `rows` are those trained on.
[[nodiscard]] std::size_t training_feed(const FeedShape& shape, const Hyper& hyper,
                                        std::size_t rows);
[[nodiscard]] std::size_t scoring_feed(const kern::Memory& memory, const ModelSpec& spec,
                                       const FeedShape& shape);

}  // namespace nn
