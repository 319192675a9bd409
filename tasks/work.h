#pragma once
// What tasks do, counted from shapes: for the choice of a device, for plans, for simulated
// machines.

#include <cstdint>

#include "nn/data/feed.h"
#include "nn/model/spec.h"
#include "nn/reshape/reshape.h"
#include "nn/training/hyper.h"
#include "nn/training/train.h"
#include "runtime/resources.h"

namespace tasks {

/// Where the tasks of these works have their table (rt::Streaming): behind the network.
inline constexpr unsigned kTableParameter = 1;

/// A network as far as its cost goes. Training a step begins, for each shard, three products for
/// each weight tensor and two passes for each other layer, then the optimizer's pass; what passes
/// through memory besides products is weights, gradients, optimizer slots and activations.
struct NetworkWork {
  double forward = 0;      ///< FLOPs of one row
  double training = 0;     ///< the same, trained
  double weights = 0;      ///< bytes of one copy
  double activations = 0;  ///< bytes of one row, all layers
  double products = 0;     ///< weight tensors that take part in one
  double passes = 0;       ///< layers without
};
[[nodiscard]] NetworkWork network_work_of(const nn::ModelSpec& spec);

/// One step of an optimizer.
[[nodiscard]] rt::Work step_work(const nn::ModelSpec& spec, const nn::Hyper& hyper);

/// A segment of them on data of `rows` rows of that shape.
[[nodiscard]] rt::Work training_work(const nn::ModelSpec& spec, const nn::Hyper& hyper,
                                     const nn::Segment& segment, std::uint64_t rows,
                                     const nn::FeedShape& shape);

/// Answering `rows` rows of it.
[[nodiscard]] rt::Work scoring_work(const nn::ModelSpec& spec, std::uint64_t rows,
                                    const nn::FeedShape& shape);

/// Making a network of another shape from it, calibrated on the first of `rows` rows of such data.
[[nodiscard]] rt::Work reshaping_work(const nn::ModelSpec& spec, const nn::Operation& operation,
                                      std::uint64_t rows, const nn::FeedShape& shape);

/// Looking at all its weights.
[[nodiscard]] rt::Work norms_work(const nn::ModelSpec& spec);

/// Of statistics of units for a training part of `rows` rows.
[[nodiscard]] rt::Work statistics_work(const nn::ModelSpec& spec, std::uint64_t rows,
                                       const nn::FeedShape& shape);

}  // namespace tasks
