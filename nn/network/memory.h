#pragma once
// The device memory that training and evaluating will take, counted before they run.

#include <cstddef>

#include "kernels/kernels.h"
#include "nn/data/feed.h"
#include "nn/model/spec.h"
#include "nn/training/hyper.h"

namespace nn {

/// Returns the bytes that train_steps() asks its workspace for on the memory of `kernels`, or a few
/// more. The network's own bytes and the table come on top. Throws SpecError.
[[nodiscard]] std::size_t training_memory(const kern::Kernels<float>& kernels,
                                          const ModelSpec& spec, const Hyper& hyper);

/// Returns the same for evaluate().
[[nodiscard]] std::size_t scoring_memory(const kern::Kernels<float>& kernels,
                                         const ModelSpec& spec);

/// Return the additional bytes on a device if the table is fed (nn/data/feed.h). `rows` is the
/// number of training rows.
[[nodiscard]] std::size_t training_feed(const FeedShape& shape, const Hyper& hyper,
                                        std::size_t rows);
[[nodiscard]] std::size_t scoring_feed(const kern::Memory& memory, const ModelSpec& spec,
                                       const FeedShape& shape);

}  // namespace nn
