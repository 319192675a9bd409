#include "nn/training/overlap.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace nn {

namespace {

/// What a layer trains, with the gaps behind it.
struct Trained {
  std::size_t layer, offset;
};

std::vector<Trained> trained_by(const ParamLayout& layout) {
  std::vector<Trained> found;
  for (const ParamTensor& tensor : layout.tensors) {
    const auto layer = static_cast<std::size_t>(tensor.layer);
    if (trained(tensor.role) && (found.empty() || found.back().layer != layer))
      found.push_back({layer, tensor.offset});
  }
  return found;
}

}  // namespace

int passes_side_by_side(int own, std::size_t bytes, std::size_t memory) {
  const std::size_t fit = memory / std::max<std::size_t>(1, bytes);
  return std::clamp(static_cast<int>(std::min<std::size_t>(fit, kShardsSideBySide)), 1,
                    std::max(1, own));
}

template <class T>
Overlap<T>::Overlap(Trainer<T>& trainer, SumsUnderWay& sums)
    : trainer_(trainer),
      sums_(sums),
      // Lengths of gradients and of units, and the ages of a reshaped network, are of the whole
      // slab.
      whole_(trainer.clip_ > 0 || trainer.lasso_.has_value() || trainer.ages_.has_value()),
      defers_(!whole_ && sums.rules().defers),
      passes_(static_cast<std::size_t>(trainer.passes_)) {
  make_buckets();
}

template <class T>
void Overlap<T>::make_buckets() {
  const ParamLayout& layout = trainer_.in_.network.layout();
  const std::size_t least = sums_.rules().bucket;
  std::size_t end = layout.trained;
  const std::vector<Trained> layers = trained_by(layout);
  for (std::size_t i = layers.size(); i-- > 0;) {
    const auto [layer, offset] = layers[i];
    if (end - offset < least && i > 0) continue;
    buckets_.push_back(
        {.first = layer, .part = {.offset = offset, .count = end - offset}, .updates = {}});
    end = offset;
  }
  for (Bucket& bucket : buckets_)
    for (const SlabPart& part : trainer_.parts_) {
      const std::size_t from = std::max(part.offset, bucket.part.offset);
      const std::size_t to =
          std::min(part.offset + part.count, bucket.part.offset + bucket.part.count);
      if (from < to) bucket.updates.push_back({.offset = from, .count = to - from});
    }
  if (const SlabPart state = trainer_.state_part(); state.count > 0)
    state_ = Bucket{.part = state, .updates = {}};
  if (!defers_ || !sums_.rules().undoes) return;
  std::size_t parts = 0;
  for (const Bucket& bucket : buckets_) parts += bucket.updates.size();
  undo_.emplace(trainer_.in_.weights, trainer_.in_.slots, trainer_.in_.slot_count, layout, parts);
}

template <class T>
kern::LossSums Overlap<T>::step(const Step& step) {
  std::ranges::fill(trainer_.sums_, kern::LossSums{});
  trainer_.in_wave_ = 1;
  own_ = trainer_.own_shards();
  open(step);
  forward();
  settle();
  trainer_.pack_losses(own_);
  const SumsUnderWay::Ticket losses = sums_.begin_gather(trainer_.words_, trainer_.shards_);
  backward();
  sums_.await(losses);
  trainer_.unpack_losses();
  const kern::LossSums total = trainer_.sum_losses();
  if (!std::isfinite(total.loss)) {
    // What was begun ends on all members, and changes nothing.
    sums_.await(newest_);
    return total;
  }
  if (defers_) {
    std::for_each(buckets_.rbegin(), buckets_.rend(), [&](Bucket& bucket) { share(bucket); });
    if (state_) share(*state_);
  }
  last_ = step;
  last_->rows = {};
  left_ = buckets_.size();
  if (!defers_) settle();
  return total;
}

template <class T>
void Overlap<T>::open(const Step& step) {
  const int early = std::max(0, own_.size() - static_cast<int>(passes_.size()));
  if (early > 0) settle();
  for (int i = 0; i < early; ++i) {
    trainer_.run_shard(own_.first + i, trainer_.block(i), step, nullptr, trainer_.in_.arena);
    sums_.advance();
  }
  open_ = 0;
  empty_.clear();
  for (int i = early; i < own_.size(); ++i) {
    const bool has_rows = trainer_.open(passes_[open_], own_.first + i, trainer_.block(i), step,
                                        trainer_.arena(static_cast<int>(open_)));
    if (has_rows)
      ++open_;
    else
      empty_.push_back(trainer_.block(i));
  }
}

template <class T>
void Overlap<T>::forward() {
  const Network<T>& network = trainer_.in_.network;
  const std::span<ShardPass<T>> passes(passes_.data(), open_);
  for (std::size_t layer = 0; layer < network.spec().layers.size(); ++layer) {
    if (last_ && left_ > 0 && buckets_[left_ - 1].first == layer) update(buckets_[--left_]);
    for (const ShardPass<T>& one : passes) {
      network.forward(one.pass, layer, layer + 1);
      sums_.advance();
    }
  }
  for (const ShardPass<T>& one : passes)
    trainer_.sums_[static_cast<std::size_t>(one.shard)] =
        network.loss(one.pass, trainer_.in_.loss, one.target);
}

template <class T>
void Overlap<T>::backward() {
  const Network<T>& network = trainer_.in_.network;
  // Not earlier: the last step's gradient lay there.
  for (T* const gradient : empty_)
    network.kernels().memory->zero(gradient, network.layout().count * sizeof(T));
  std::size_t next = 0;
  for (std::size_t layer = network.spec().layers.size(); layer-- > 0;) {
    for (const ShardPass<T>& one : std::span(passes_.data(), open_)) {
      network.backward(one.pass, layer, layer + 1);
      sums_.advance();
    }
    if (next < buckets_.size() && buckets_[next].first == layer) begin_sum(buckets_[next++]);
  }
  if (state_) begin_sum(*state_);
}

template <class T>
void Overlap<T>::begin_sum(Bucket& bucket) {
  newest_ = sums_.begin_reduce(summed(bucket.part));
  if (!defers_) share(bucket);
  sums_.advance();
}

template <class T>
void Overlap<T>::share(Bucket& bucket) {
  newest_ = bucket.shared = sums_.begin_share(summed(bucket.part));
}

template <class T>
void Overlap<T>::update(const Bucket& bucket) {
  sums_.await(bucket.shared);
  kern::Exec exec = trainer_.in_.network.exec(trainer_.in_.arena);
  for (const SlabPart& part : bucket.updates) {
    if (undo_) undo_->keep(part);
    trainer_.update(exec, part, *last_, trainer_.gradients_);
    sums_.advance();
  }
}

template <class T>
void Overlap<T>::settle() {
  if (!last_) return;
  kern::Exec exec = trainer_.in_.network.exec(trainer_.in_.arena);
  if (whole_) {
    sums_.await(newest_);
    trainer_.update_all(exec, *last_);
    left_ = 0;
  }
  // Whoever is lost until now is lost before a number has changed.
  if (!defers_) sums_.await(newest_);
  while (left_ > 0) update(buckets_[--left_]);
  if (state_) sums_.await(state_->shared);
  trainer_.finish(exec, *last_, trainer_.gradients_);
  last_.reset();
  if (undo_) undo_->forget();
}

template <class T>
bool Overlap<T>::drop() {
  // Steps that do not defer are whole before a number changes, and are not counted before that.
  const bool undone = defers_ && last_.has_value();
  if (undone && undo_) undo_->undo();
  last_.reset();
  left_ = 0;
  newest_ = 0;
  return undone;
}

template <class T>
SumsUnderWay::Part Overlap<T>::summed(const SlabPart& part) const {
  return {.offset = part.offset,
          .count = part.count,
          .blocks = trainer_.blocks_,
          .shards = trainer_.shards_};
}

template class Overlap<float>;

}  // namespace nn
