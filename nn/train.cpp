#include "nn/train.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "nn/error.h"
#include "nn/random.h"
#include "nn/trainer.h"

namespace nn {
namespace {

/// The rows of `data` in the order in which an epoch visits them.
std::span<const std::uint32_t> epoch_rows(const DataView& data, std::uint64_t shuffle,
                                          std::int64_t epoch, std::vector<std::uint32_t>& rows) {
  epoch_order(shuffle, epoch, static_cast<std::uint32_t>(data.rows.size()), rows);
  for (auto& row : rows) row = data.rows[row];
  return rows;
}

void check_slab(const ParamSlab& net, const Hyper& hyper) {
  if (net.header().optimizer != hyper.optimizer.kind ||
      net.header().slots != optimizer_slots(hyper.optimizer)) {
    throw Error("the network's state is for optimizer " + net.header().optimizer + " with " +
                std::to_string(net.header().slots) + " slots, not for " + hyper.optimizer.kind +
                " with " + std::to_string(optimizer_slots(hyper.optimizer)));
  }
}

}  // namespace

TrainStats train_steps(const kern::Kernels<float>& kernels, Workspace& workspace, ParamSlab& net,
                       const DataView& data, const Hyper& hyper, const Stretch& stretch,
                       const StopPredicate& stop) {
  check_slab(net, hyper);
  const int part = largest_part(hyper.batch, hyper.shards);
  const Network<float>& network = workspace.network(net.spec(), kernels, part, Use::training);
  const Loss& loss = loss_of(hyper.loss.kind);
  check_fit(network, data, loss);
  const auto update = optimizer_of(hyper.optimizer.kind).bind(hyper.optimizer.fields, float{});
  Trainer<float> trainer(network, loss, *update, data, hyper.shards,
                         workspace.arena(Trainer<float>::arena_bytes(network, data, hyper.shards)));

  float* weights = net.weights().data();
  float* slots = weights + net.count();
  SlabState& state = net.state();
  const auto batch = static_cast<std::size_t>(hyper.batch);
  TrainStats stats;
  double loss_sum = 0;
  for (std::int64_t epoch = stretch.from_epoch; epoch < stretch.to_epoch; ++epoch) {
    const auto rows = epoch_rows(data, hyper.shuffle, epoch, workspace.rows());
    for (std::size_t begin = 0; begin < rows.size(); begin += batch) {
      if (stop && stop()) {
        stats.stopped = true;
        break;
      }
      const auto chosen = rows.subspan(begin, std::min(batch, rows.size() - begin));
      const kern::LossSums sums = trainer.step(chosen, weights, slots, state.steps + 1);
      loss_sum += sums.loss;
      stats.correct += sums.correct;
      stats.rows += static_cast<std::int64_t>(chosen.size());
      ++stats.steps;
      stats.diverged = !std::isfinite(sums.loss);
      if (stats.diverged) break;
      ++state.steps;
      state.rows += static_cast<std::int64_t>(chosen.size());
    }
    if (stats.stopped || stats.diverged) break;
  }
  stats.loss = stats.rows > 0 ? loss_sum / static_cast<double>(stats.rows) : 0;
  return stats;
}

}  // namespace nn
