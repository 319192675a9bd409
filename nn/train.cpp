#include "nn/train.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "nn/augment.h"
#include "nn/data/block.h"
#include "nn/data/feed.h"
#include "nn/error.h"
#include "nn/group_lasso.h"
#include "nn/random.h"
#include "nn/trainer.h"

namespace nn {
namespace {

std::int64_t steps_per_epoch(std::int64_t rows, std::int32_t batch) {
  return (rows + batch - 1) / batch;
}

/// Steps from the network's birth to border `border` of the stretch's grid.
std::int64_t step_at(std::int64_t border, const Stretch& stretch, std::int64_t steps) {
  const std::int64_t epoch = border / stretch.per_epoch;
  return epoch * steps + border % stretch.per_epoch * steps / stretch.per_epoch;
}

void check_stretch(const Stretch& stretch) {
  if (stretch.per_epoch < 1 || stretch.from < 0 || stretch.to < stretch.from) {
    throw Error("a stretch from " + std::to_string(stretch.from) + " to " +
                std::to_string(stretch.to) + " of 1/" + std::to_string(stretch.per_epoch) +
                " epochs is none");
  }
}

/// The rows of `data` in the order in which an epoch visits them.
std::span<const std::uint32_t> epoch_rows(const DataView& data, std::uint64_t shuffle,
                                          std::int64_t epoch, std::vector<std::uint32_t>& rows) {
  epoch_order(shuffle, epoch, static_cast<std::uint32_t>(data.rows.size()), rows);
  for (auto& row : rows) row = data.rows[row];
  return rows;
}

/// The rows of each step. Those of the last one that was asked for are valid.
class Batches {
 public:
  Batches(const DataView& data, const Hyper& hyper, std::vector<std::uint32_t>& order)
      : data_(data), hyper_(hyper), order_(order) {}

  [[nodiscard]] std::span<const std::uint32_t> of(std::int64_t step) {
    const std::int64_t rows = std::ssize(data_.rows), batch = hyper_.batch;
    const std::int64_t steps = steps_per_epoch(rows, hyper_.batch);
    if (std::exchange(epoch_, step / steps) != step / steps)
      rows_ = epoch_rows(data_, hyper_.shuffle, epoch_, order_);
    const std::int64_t begin = step % steps * batch;
    return rows_.subspan(static_cast<std::size_t>(begin),
                         static_cast<std::size_t>(std::min(batch, rows - begin)));
  }

 private:
  const DataView& data_;
  const Hyper& hyper_;
  std::vector<std::uint32_t>& order_;
  std::int64_t epoch_ = -1;
  std::span<const std::uint32_t> rows_;
};

/// The rate at a step, the same wherever stretches are cut: `steps` make an epoch.
double rate_at(const Hyper& hyper, std::int64_t step, std::int64_t steps) {
  if (hyper.lr.empty()) return real(hyper.optimizer.fields, "lr");
  return lr_at(hyper.lr, static_cast<double>(step / steps) +
                             static_cast<double>(step % steps) / static_cast<double>(steps));
}

void check_slab(const ParamSlab& net, const Hyper& hyper) {
  if (net.header().optimizer != hyper.optimizer.kind ||
      net.header().slots != optimizer_slots(hyper.optimizer)) {
    throw Error("the network's state is for optimizer " + net.header().optimizer + " with " +
                std::to_string(net.header().slots) + " slots, not for " + hyper.optimizer.kind +
                " with " + std::to_string(optimizer_slots(hyper.optimizer)));
  }
}

void check_thread() {
  if (!kern::is_prepared_thread())
    throw Error(
        "a thread trains that does not flush denormals, expected kern::prepare_thread() "
        "on it before, as tasks::setup_process() has it called on every worker");
}

void check_precision(const kern::Kernels<float>& kernels, const Hyper& hyper) {
  if (kernels.precision == hyper.precision) return;
  throw Error("the kernels round operands of products to " +
              std::string(kern::precision_name(kernels.precision)) + ", the training is for " +
              std::string(kern::precision_name(hyper.precision)));
}

void check_images(const DataView& data, const Hyper& hyper) {
  if (moves(hyper.augment) && !data.shape.is_image())
    throw Error("only images can be moved, not rows of " + data.shape.text() + " features");
}

/// The penalty that holds on a part of the training: what lies on one side of its end does not know
/// about the end.
UnitPenalty penalty_on(const UnitPenalty& penalty, const Stretch& stretch) {
  const std::int64_t end = penalty.until * stretch.per_epoch;
  if (penalty.strength == 0 || (end > 0 && stretch.from >= end)) return {};
  return {penalty.strength, stretch.to > end ? penalty.until : 0};
}

}  // namespace

Stretch reduced(const Stretch& stretch) {
  const std::int64_t by = std::gcd(std::gcd(stretch.from, stretch.to), stretch.per_epoch);
  return {stretch.from / by, stretch.to / by, stretch.per_epoch / by};
}

double epochs_in(const Stretch& stretch) {
  return static_cast<double>(stretch.to - stretch.from) / static_cast<double>(stretch.per_epoch);
}

std::int64_t rows_in(const Stretch& stretch, std::int64_t rows, std::int32_t batch) {
  const auto rows_until = [&](std::int64_t border) {
    const std::int64_t steps = steps_per_epoch(rows, batch);
    const std::int64_t epoch = border / stretch.per_epoch;
    return epoch * rows + (step_at(border, stretch, steps) - epoch * steps) * batch;
  };
  return rows_until(stretch.to) - rows_until(stretch.from);
}

std::int64_t steps_in(const Stretch& stretch, std::int64_t rows, std::int32_t batch) {
  const std::int64_t steps = steps_per_epoch(rows, batch);
  return step_at(stretch.to, stretch, steps) - step_at(stretch.from, stretch, steps);
}

int shards_of(const Hyper& hyper, const ModelSpec& spec) {
  if (hyper.shards > 0) return hyper.shards;
  constexpr double kFlops = 50e6, kUses = 100, kMost = 8;
  const Flops row = flops_per_row(spec);
  const double batch = hyper.batch;
  const double weights = static_cast<double>(std::max<std::uint64_t>(1, weight_count(spec)));
  const double uses = batch * static_cast<double>(row.forward) / (2 * weights);
  const double shards =
      std::min({static_cast<double>(row.training) * batch / kFlops, uses / kUses, kMost, batch});
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(1.0, shards))));
}

Hyper hyper_on(const Hyper& hyper, const Stretch& stretch) {
  Hyper out = hyper;
  out.penalty = penalty_on(hyper.penalty, stretch);
  if (hyper.lr.empty()) return out;
  // A border within an epoch lies up to a step before its moment, hence the epoch's beginning.
  const auto from = static_cast<double>(stretch.from / stretch.per_epoch);
  const double to = static_cast<double>(stretch.to) / static_cast<double>(stretch.per_epoch);
  out.lr = part_of(hyper.lr, from, to);
  const bool one_rate =
      out.lr.size() == 1 && out.lr[0].shape == LrShape::constant && out.lr[0].first > 0;
  // What takes no part must not set two stretches apart, either.
  out.optimizer.fields["lr"] = one_rate ? out.lr[0].first : 1.0;
  if (one_rate) out.lr.clear();
  return out;
}

TrainStats train_steps(const kern::Kernels<float>& kernels, Workspace& workspace, ParamSlab& net,
                       const DataView& data, const Hyper& hyper, const Stretch& stretch,
                       const StopPredicate& stop, Parallel* parallel) {
  check_slab(net, hyper);
  check_stretch(stretch);
  check_precision(kernels, hyper);
  check_thread();
  const int shards = shards_of(hyper, net.spec());
  const int part = largest_part(hyper.batch, shards);
  const Network<float>& network = workspace.network(net.spec(), kernels, part, Use::training);
  check_fit(network, data, loss_of(hyper.loss.kind));
  check_images(data, hyper);
  const auto loss = loss_function<float>(hyper.loss, data);
  const auto update = optimizer_of(hyper.optimizer.kind).bind(hyper.optimizer.fields, float{});
  const bool fed = is_fed(*kernels.memory, data);
  const auto most_rows = std::min(static_cast<std::size_t>(hyper.batch), data.rows.size());
  const std::size_t own = Block::aligned(Trainer<float>::arena_bytes(network, data, shards));
  const std::size_t more = fed ? TableFeed::bytes_there(feed_shape(data), most_rows) : 0;
  std::byte* const arena = workspace.arena(own + more, *kernels.memory);
  std::optional<TableFeed> feed;
  if (fed)
    feed.emplace(*kernels.memory, data, most_rows, arena + own,
                 workspace.arena(TableFeed::bytes_staged(feed_shape(data), most_rows),
                                 *kern::feed_of(*kernels.memory).staging));
  Trainer<float> trainer(network, *loss, *update, data, shards, arena, parallel);
  if (feed) trainer.feed_from(&*feed);
  const UnitState units = net.header().reshaped ? net.units(*kernels.memory) : UnitState{};
  const UnitIds ids(units);
  trainer.draw_from(hyper.shuffle, &ids);
  trainer.clip_to(hyper.clip);
  const Mover mover(hyper.augment, hyper.shuffle);
  std::optional<Ages<float>> ages;
  if (net.header().reshaped) trainer.count_ages(ages.emplace(network.layout(), units));
  std::optional<GroupLasso<float>> lasso;
  if (hyper.penalty.strength > 0) lasso.emplace(net.spec());

  float* weights = net.weights().data();
  float* slots = weights + net.count();
  SlabState state = net.state(*kernels.memory);
  const std::int64_t steps = steps_per_epoch(std::ssize(data.rows), hyper.batch);
  const std::int64_t last = step_at(stretch.to, stretch, steps);
  const double share = hyper.penalty.strength / static_cast<double>(steps);
  Batches batches(data, hyper, workspace.rows());
  std::int64_t epoch = -1;
  TrainStats stats;
  double loss_sum = 0;
  const std::int64_t first = step_at(stretch.from, stretch, steps);
  if (feed && first < last) feed->ask(batches.of(first));
  for (std::int64_t step = first; step < last; ++step) {
    stats.stopped = stop && stop();
    if (stats.stopped) break;
    if (std::exchange(epoch, step / steps) != step / steps)
      trainer.move_images(moves(hyper.augment) ? &mover : nullptr, epoch);
    const bool pulls = lasso && (hyper.penalty.until == 0 || step < hyper.penalty.until * steps);
    trainer.pull_units(pulls ? &*lasso : nullptr, share);
    const std::span<const std::uint32_t> chosen = batches.of(step);
    const auto count = static_cast<std::int64_t>(chosen.size());
    const kern::LossSums sums =
        trainer.step(chosen, weights, slots, state.steps + 1, rate_at(hyper, step, steps));
    loss_sum += sums.loss;
    stats.correct += sums.correct;
    stats.rows += count;
    ++stats.steps;
    stats.diverged = !std::isfinite(sums.loss);
    if (stats.diverged) break;
    ++state.steps;
    state.rows += count;
    if (feed && step + 1 < last) feed->ask(batches.of(step + 1));
  }
  net.set_state(*kernels.memory, state);
  stats.loss = stats.rows > 0 ? loss_sum / static_cast<double>(stats.rows) : 0;
  return stats;
}

}  // namespace nn
