#pragma once
// Networks that train on the same batches, a step of each in turn: a batch is read once for all.

#include <cstdint>
#include <functional>
#include <span>

#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/model/slab.h"
#include "nn/network/workspace.h"
#include "nn/training/hyper.h"
#include "nn/training/tally.h"
#include "nn/training/train.h"

namespace nn {

/// A request to a network of a pack before a step: to take it, to end, or to leave the pack.
enum class PackWord : std::uint8_t { go_on, stop, leave };

/// One of the networks; everything referred to outlives the pack's training. All have the same spec
/// and hyperparameters, their optimizers and learning rates aside, and have come equally far.
struct PackNet {
  ParamSlab* net = nullptr;
  const Hyper* hyper = nullptr;
  Tally tally{};                          ///< of the steps of the segment that are done
  std::function<PackWord()> next;         ///< called before each step
  std::function<void(TrainStats)> ended;  ///< called once, with the result of train_steps(); or
  std::function<void(Tally)> left;        ///< called once, so that another pack goes on from there
};

/// Returns true if such a training can share its batches: on the program's own memory it has one
/// shard, it moves no images, and nothing but the steps changes weights.
[[nodiscard]] bool can_share_batches(const ParamSlab::Header& net, const Hyper& hyper);

/// Trains each network as train_steps() would, with the same bits. Throws base::Error as that does,
/// and (internal) if the networks differ, before any change.
void train_pack(const kern::Kernels<float>& kernels, Workspace& workspace, const DataView& data,
                const Segment& segment, std::span<PackNet> nets);

}  // namespace nn
