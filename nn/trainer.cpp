#include "nn/trainer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "nn/data/block.h"
#include "nn/gradient_sink.h"

namespace nn {

namespace {

std::vector<SlabPart> parts_of(std::size_t trained, std::size_t part) {
  std::vector<SlabPart> parts;
  for (std::size_t at = 0; at < trained; at += part)
    parts.push_back({.offset = at, .count = std::min(part, trained - at)});
  return parts;
}

}  // namespace

template <class T>
std::size_t Trainer<T>::pass_bytes(const Network<T>& network, const DataView& data) {
  return Block::aligned(network.arena_bytes()) +
         Block::aligned(BatchReader<T>(network, data).target_bytes());
}

template <class T>
std::size_t Trainer<T>::arena_bytes(const Network<T>& network, const DataView& data, int shards) {
  return pass_bytes(network, data) +
         Block::aligned(network.layout().count * sizeof(T)) * static_cast<std::size_t>(shards);
}

template <class T>
Trainer<T>::Trainer(const Network<T>& network, const LossFunction<T>& loss, const Update<T>& update,
                    const DataView& data, int shards, std::byte* arena, Parallel* parallel)
    : network_(&network),
      loss_(&loss),
      update_(&update),
      reader_(network, data),
      shards_(shards),
      arena_(arena),
      parallel_(shards > 1 ? parallel : nullptr),
      pass_bytes_(pass_bytes(network, data)),
      sums_(static_cast<std::size_t>(shards)),
      parts_(parts_of(network.layout().trained,
                      update_part(*network.kernels().memory, network.layout()))) {
  const auto blocks = static_cast<std::size_t>(shards);
  const std::size_t bytes = Block::aligned(network.layout().count * sizeof(T));
  if (data.shape.is_image()) moves_.resize(blocks * static_cast<std::size_t>(network.max_rows()));
  gradients_ = reinterpret_cast<T*>(arena + pass_bytes_);
  stride_ = static_cast<std::ptrdiff_t>(bytes / sizeof(T));
  // The gaps between tensors take part in sums and updates, and are written by nobody.
  network.kernels().memory->zero(gradients_, bytes * blocks);
}

template <class T>
void Trainer<T>::count_ages(Ages<T>& ages) {
  ages_ = &ages;
  parts_.assign(ages.parts().begin(), ages.parts().end());
}

template <class T>
void Trainer<T>::feed_from(TableFeed* feed) {
  feed_ = feed;
  places_.resize(static_cast<std::size_t>(network_->max_rows()) *
                 static_cast<std::size_t>(shards_));
  std::iota(places_.begin(), places_.end(), 0U);
}

template <class T>
void Trainer<T>::run_shard(int shard, std::span<const std::uint32_t> rows, const T* weights,
                           std::int64_t step, std::byte* arena, GradientSink<T>* sink) {
  const std::size_t i = static_cast<std::size_t>(shard), n = static_cast<std::size_t>(shards_);
  const std::size_t from = rows.size() * i / n, to = rows.size() * (i + 1) / n;
  if (from == to) {
    sums_[i] = {};
    network_->kernels().memory->zero(shard_gradient(shard), network_->layout().count * sizeof(T));
    return;
  }
  std::byte* targets = arena + Block::aligned(network_->arena_bytes());
  const auto mine = rows.subspan(from, to - from);
  kern::ImageMove* moves = nullptr;
  if (mover_ != nullptr) {
    moves = moves_.data() + from;
    for (std::size_t r = 0; draws_.course == nullptr && r < mine.size(); ++r)
      moves[r] = mover_->move(mine[r], epoch_);
  }
  const Target target =
      read_ != nullptr ? *read_
      : feed_ == nullptr
          ? reader_.read(arena, targets, mine, moves, draws_.course)
          : reader_.read(arena, targets, fed_, std::span(places_).subspan(from, to - from), moves,
                         draws_.course);
  Draws draws = draws_;
  draws.step = step;
  draws.rows = mine.data();
  sums_[i] = network_->loss_and_gradient(arena, weights, static_cast<int>(mine.size()), *loss_,
                                         target, T(1) / static_cast<T>(rows.size()),
                                         shard_gradient(shard), draws, sink);
}

template <class T>
class Trainer<T>::Updating final : public GradientSink<T> {
 public:
  Updating(const Trainer& trainer, T* weights, T* slots, std::int64_t step, double lr)
      : trainer_(trainer), weights_(weights), slots_(slots), step_(step), lr_(lr) {}

  void take(kern::Exec& exec, std::size_t offset, std::size_t count, const T* gradient) override {
    trainer_.update_->run(trainer_.network_->kernels(), exec, count,
                          trainer_.network_->layout().count, weights_ + offset, gradient,
                          slots_from(slots_, offset), step_, lr_);
  }

 private:
  const Trainer& trainer_;
  T *weights_, *slots_;
  std::int64_t step_;
  double lr_;
};

template <class T>
kern::LossSums Trainer<T>::step(std::span<const std::uint32_t> rows, T* weights, T* slots,
                                std::int64_t step, double lr) {
  const bool at_once = updates_at_once();
  if (feed_ != nullptr) fed_ = feed_->take();
  if (at_once) {
    Updating updating(*this, weights, slots, step, lr);
    run_shard(0, rows, weights, step, arena_, &updating);
  } else if (parallel_ != nullptr) {
    run_parts(*parallel_, shards_, [&](int shard, Workspace& workspace) {
      run_shard(shard, rows, weights, step, workspace.arena(pass_bytes_));
    });
  } else {
    for (int shard = 0; shard < shards_; ++shard) run_shard(shard, rows, weights, step, arena_);
  }
  if (feed_ != nullptr) feed_->give_back();
  const kern::LossSums total = sum_losses();
  if (!std::isfinite(total.loss)) return total;
  kern::Exec exec = network_->exec(arena_, draws_.course);
  if (!at_once) update_all(exec, weights, slots, step, lr);
  if (lasso_ != nullptr) lasso_->pull(network_->kernels(), exec, lr * share_, weights);
  network_->keep_statistics(exec, gradients_, weights);
  return total;
}

template <class T>
kern::LossSums Trainer<T>::step_on(const Target& read, std::span<const std::uint32_t> rows,
                                   T* weights, T* slots, std::int64_t step, double lr) {
  read_ = &read;
  const kern::LossSums sums = this->step(rows, weights, slots, step, lr);
  read_ = nullptr;
  return sums;
}

template <class T>
void Trainer<T>::update_all(kern::Exec& exec, T* weights, T* slots, std::int64_t step, double lr) {
  if (ages_ != nullptr) update_->begin_aged(*ages_, step, lr);
  const std::size_t trained = network_->layout().trained;
  add_up(exec, {.offset = trained, .count = network_->layout().count - trained});
  if (clip_ > 0) {
    over_parts([&](kern::Exec& own, const SlabPart& part) { add_up(own, part); });
    clip_gradient(exec);
  }
  // A part is added up and used while it is in a near cache.
  over_parts([&](kern::Exec& own, const SlabPart& part) {
    if (clip_ == 0) add_up(own, part);
    update(own, part, weights, slots, step, lr);
  });
}

template <class T>
kern::LossSums Trainer<T>::sum_losses() const {
  kern::LossSums total;
  for (const kern::LossSums& sums : sums_) {
    total.loss += sums.loss;
    total.correct += sums.correct;
  }
  return total;
}

template <class T>
template <class F>
void Trainer<T>::over_parts(F f) {
  if (parallel_ == nullptr) {
    kern::Exec exec = network_->exec(arena_, draws_.course);
    for (const SlabPart& part : parts_) f(exec, part);
    return;
  }
  run_parts(*parallel_, static_cast<int>(parts_.size()), [&](int i, Workspace& workspace) {
    kern::Exec exec = network_->exec(workspace.arena(pass_bytes_));
    f(exec, parts_[static_cast<std::size_t>(i)]);
  });
}

template <class T>
void Trainer<T>::add_up(kern::Exec& exec, const SlabPart& part) const {
  for (int width = 1; width < shards_; width *= 2) {
    for (int left = 0; left + width < shards_; left += 2 * width) {
      network_->kernels().accumulate(exec, part.count, shard_gradient(left + width) + part.offset,
                                     shard_gradient(left) + part.offset);
    }
  }
}

template <class T>
void Trainer<T>::update(kern::Exec& exec, const SlabPart& part, T* weights, T* slots,
                        std::int64_t step, double lr) const {
  const kern::Kernels<T>& kernels = network_->kernels();
  const std::size_t stride = network_->layout().count, at = part.offset;
  if (ages_ == nullptr) {
    update_->run(kernels, exec, part.count, stride, weights + at, gradients_ + at,
                 slots_from(slots, at), step, lr);
  } else {
    update_->run_aged(kernels, exec, *ages_, part, stride, weights, gradients_, slots, step, lr);
  }
}

template <class T>
void Trainer<T>::clip_gradient(kern::Exec& exec) {
  const kern::Kernels<T>& kernels = network_->kernels();
  const std::size_t trained = network_->layout().trained;
  const double norm = std::sqrt(kernels.sum_squares(exec, trained, gradients_));
  if (norm <= clip_) return;
  const T factor = static_cast<T>(clip_ / norm);
  kernels.scale_units(exec, {.outer = 1, .units = 1, .inner = trained}, &factor, gradients_);
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace nn
