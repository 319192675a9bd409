#include "nn/train.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>

#include "kernels/reserve.h"
#include "nn/augment.h"
#include "nn/course.h"
#include "nn/data/block.h"
#include "nn/data/feed.h"
#include "nn/error.h"
#include "nn/group_lasso.h"
#include "nn/steps.h"
#include "nn/train_checks.h"
#include "nn/trainer.h"

namespace nn {
namespace {

/// Where a training finds its network. A small one on a device moves to memory that the worker
/// keeps, so that its steps are the same calls as those of the training before; where the device
/// has no room for that it stays where it is.
class Home {
 public:
  /// `bytes`: of the arena.
  Home(const kern::Kernels<float>& kernels, Workspace& workspace, ParamSlab& net, std::size_t bytes,
       bool may_move)
      : kernels_(kernels),
        away_(net.weights().data()),
        count_(net.count() * static_cast<std::size_t>(1 + net.header().slots)) {
    const std::size_t all = bytes + count_ * sizeof(float);
    if (!may_move || all > kern::kKeptByWorker) return;
    try {
      arena_ = workspace.kept(all, *kernels.memory);
      here_ = reinterpret_cast<float*>(arena_ + bytes);
    } catch (const kern::OutOfMemory&) {
      arena_ = nullptr;
    }
  }

  [[nodiscard]] bool kept() const { return arena_ != nullptr; }
  [[nodiscard]] std::byte* arena() const { return arena_; }
  [[nodiscard]] float* weights() const { return kept() ? here_ : away_; }

  void bring() const { copy(away_, here_); }
  void bring_back() const { copy(here_, away_); }

 private:
  void copy(const float* from, float* to) const {
    kern::Exec exec;
    if (kept()) kernels_.scaled_copy(exec, count_, 1, from, to);
  }

  const kern::Kernels<float>& kernels_;
  float *away_, *here_ = nullptr;
  std::size_t count_;
  std::byte* arena_ = nullptr;
};

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

int shards_of(const Hyper& hyper, const ModelSpec& spec, const kern::Memory& memory) {
  if (hyper.shards > 0) return hyper.shards;
  if (!memory.own) return 1;
  constexpr double kFlops = 50e6, kUses = 100, kMost = 8;
  const Flops row = flops_per_row(spec);
  const double batch = hyper.batch;
  const double weights = static_cast<double>(std::max<std::uint64_t>(1, weight_count(spec)));
  const double uses = batch * static_cast<double>(row.forward) / (2 * weights);
  const double shards =
      std::min({static_cast<double>(row.training) * batch / kFlops, uses / kUses, kMost, batch});
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(1.0, shards))));
}

Hyper hyper_on(Hyper hyper, const Stretch& stretch) {
  hyper.penalty = penalty_on(hyper.penalty, stretch);
  if (hyper.lr.empty()) return hyper;
  // A border within an epoch lies up to a step before its moment, hence the epoch's beginning.
  const std::int64_t epoch = stretch.from / stretch.per_epoch;
  const auto from = static_cast<double>(epoch);
  const double to = static_cast<double>(stretch.to) / static_cast<double>(stretch.per_epoch);
  hyper.lr = part_of(hyper.lr, from, to);
  const bool one_rate =
      hyper.lr.size() == 1 && hyper.lr[0].shape == LrShape::constant && hyper.lr[0].first > 0;
  // What takes no part must not set two stretches apart, either.
  hyper.optimizer.fields["lr"] = one_rate ? hyper.lr[0].first : 1.0;
  if (one_rate) hyper.lr.clear();
  return hyper;
}

TrainStats train_steps(const kern::Kernels<float>& kernels, Workspace& workspace, ParamSlab& net,
                       const DataView& data, const Hyper& hyper, const Stretch& stretch,
                       const StopPredicate& stop, Parallel* parallel) {
  check_training(kernels, net, hyper, stretch);
  const int shards = shards_of(hyper, net.spec(), *kernels.memory);
  const int part = largest_part(hyper.batch, shards);
  const Network<float>& network = workspace.network(net.spec(), kernels, part, Use::training);
  check_data(network, data, hyper);
  const auto loss = loss_function<float>(hyper.loss, data);
  const auto update = optimizer_of(hyper.optimizer.kind).bind(hyper.optimizer.fields, float{});
  const bool fed = is_fed(*kernels.memory, data);
  const auto most_rows = std::min(static_cast<std::size_t>(hyper.batch), data.rows.size());
  const std::size_t course = kernels.memory->own ? 0 : Course::bytes(hyper);
  const std::size_t own =
      Block::aligned(Trainer<float>::arena_bytes(network, data, shards)) + course;
  const std::size_t more = fed ? TableFeed::bytes_there(feed_shape(data), most_rows) : 0;
  const bool follows =
      course > 0 && shards == 1 && !net.header().reshaped && hyper.penalty.strength == 0;
  const bool records = follows && !fed && hyper.clip == 0;
  const Home home(kernels, workspace, net, own, records && class_weights(hyper.loss, data).empty());
  std::byte* const arena =
      home.kept() ? home.arena() : workspace.arena(own + more, *kernels.memory);
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
  if (net.header().reshaped)
    trainer.count_ages(
        ages.emplace(network.layout(), units, update_part(*kernels.memory, network.layout())));
  std::optional<GroupLasso<float>> lasso;
  if (hyper.penalty.strength > 0) lasso.emplace(net.spec());

  SlabState state = net.state(*kernels.memory);
  std::optional<RecordedStep> once;
  RecordedStep* recorded = nullptr;
  if (home.kept()) {
    recorded = &workspace.recorded(step_key(kernels, net.spec(), hyper, *data.resident, arena));
  } else if (records) {
    recorded = &once.emplace(*kernels.memory);
  }
  const std::int64_t steps = steps_per_epoch(std::ssize(data.rows), hyper.batch);
  const Steps all{.trainer = trainer,
                  .data = data,
                  .hyper = hyper,
                  .first = step_at(stretch.from, stretch, steps),
                  .last = step_at(stretch.to, stretch, steps),
                  .stop = stop,
                  .mover = moves(hyper.augment) ? &mover : nullptr,
                  .lasso = lasso ? &*lasso : nullptr,
                  .feed = feed ? &*feed : nullptr,
                  .weights = home.weights(),
                  .slots = home.weights() + net.count(),
                  .rows = workspace.rows(),
                  .recorded = recorded};
  home.bring();
  const TrainStats stats =
      follows ? run_course(all, *update, *kernels.memory, arena + own - course, state)
              : run_one_by_one(all, state);
  home.bring_back();
  net.set_state(*kernels.memory, state);
  return stats;
}

}  // namespace nn
