#include "nn/training/stage_member.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "nn/optimizers/optimizer.h"

namespace nn {

namespace {

/// Returns which elements of a slab belong to which stage. Gaps belong to what is before them.
std::vector<StageLinks::Piece> pieces_of(const ParamLayout& layout,
                                         std::span<const StageLayers> stages) {
  std::vector<const ParamTensor*> tensors;
  for (const ParamTensor& tensor : layout.tensors) tensors.push_back(&tensor);
  std::ranges::sort(tensors, {}, &ParamTensor::offset);
  std::vector<StageLinks::Piece> pieces;
  for (const ParamTensor* const tensor : tensors) {
    const auto layer = static_cast<std::size_t>(tensor->layer);
    const auto stage = std::ranges::find_if(
        stages, [&](const StageLayers& one) { return one.first <= layer && layer < one.last; });
    const int member = static_cast<int>(stage - stages.begin());
    if (pieces.empty())
      pieces.push_back({.member = member});
    else if (pieces.back().member != member)
      pieces.push_back({.member = member, .offset = tensor->offset});
  }
  for (std::size_t i = 0; i < pieces.size(); ++i)
    pieces[i].count =
        (i + 1 < pieces.size() ? pieces[i + 1].offset : layout.count) - pieces[i].offset;
  return pieces;
}

/// Returns the spans of arrays in a pass, as the links take them.
template <class Element, class Pass, class Arrays>
std::vector<std::span<Element>> spans_of(const Pass& pass, const Arrays& arrays) {
  std::vector<std::span<Element>> spans;
  for (const auto& array : arrays)
    spans.emplace_back(reinterpret_cast<Element*>(pass.arena + array.offset),
                       array.elements * static_cast<std::size_t>(pass.rows));
  return spans;
}

}  // namespace

template <class T>
StageMember<T>::StageMember(Trainer<T>& trainer, StageLinks& links)
    : trainer_(trainer), links_(links), passes_(static_cast<std::size_t>(trainer.passes_)) {}

template <class T>
void StageMember<T>::cut() {
  if (members_ == links_.members() && own_ == links_.own()) return;
  const Network<T>& network = trainer_.in_.network;
  members_ = links_.members();
  own_ = links_.own();
  stages_ = stages_of(network.spec(), members_);
  pieces_ = pieces_of(network.layout(), stages_);
  enter_ = leave_ = give_back_ = come_back_ = {};
  if (!has_stage()) return;
  const StageLayers& own = stages_[static_cast<std::size_t>(own_)];
  if (own_ > 0) {
    enter_ = network.entering(own.first);
    give_back_ = network.returning(own.first);
  }
  if (!is_last()) {
    leave_ = network.entering(own.last);
    come_back_ = network.returning(own.last);
  }
}

template <class T>
kern::LossSums StageMember<T>::step(const Step& step) {
  cut();
  std::ranges::fill(trainer_.sums_, kern::LossSums{});
  trainer_.sums_before_ = 0;
  if (has_stage()) trainer_.run_shards(step, nullptr);
  // The last stage has the losses.
  trainer_.pack_losses({0, has_stage() && is_last() ? trainer_.shards_ : 0});
  trainer_.in_.gang->gather(trainer_.words_);
  trainer_.unpack_losses();
  const kern::LossSums total = trainer_.sum_losses();
  if (!std::isfinite(total.loss)) return total;
  add_up_own();
  links_.share(step.number, pieces_, trainer_.block(0));
  trainer_.sums_before_ = 0;
  trainer_.in_wave_ = 1;
  kern::Exec exec = trainer_.in_.network.exec(trainer_.in_.arena);
  trainer_.update_all(exec, step);
  trainer_.finish(exec, step, trainer_.gradients_);
  return total;
}

/// A part at a time, which stays in a near cache.
template <class T>
void StageMember<T>::add_up_own() {
  if (!has_stage()) return;
  kern::Exec exec = trainer_.in_.network.exec(trainer_.in_.arena);
  for (const StageLinks::Piece& piece : pieces_) {
    if (piece.member != own_) continue;
    for (std::size_t at = 0; at < piece.count; at += kUpdatePart)
      trainer_.add_up(
          exec, {.offset = piece.offset + at, .count = std::min(kUpdatePart, piece.count - at)});
  }
}

template <class T>
void StageMember<T>::run(int first, int count, const Step& step) {
  const int stages = static_cast<int>(stages_.size());
  const int places = std::min(stages - own_, count);
  for (int number = 0; number < 2 * count; ++number) {
    const StageWork work =
        work_of_stage(number, own_, stages, count, StageOrder::one_forward_one_backward);
    // The order 1F1B: a shard begins when the one that had its place has been backward.
    const int place = work.shard % places;
    ShardPass<T>& one = passes_[static_cast<std::size_t>(place)];
    if (work.forward) {
      T* const gradient = trainer_.block(trainer_.sums_before_ + work.shard);
      links_.await_handed_back();
      if (!trainer_.open(one, first + work.shard, gradient, step, trainer_.arena(place))) {
        // Every member knows which shards have no rows.
        const Network<T>& network = trainer_.in_.network;
        network.kernels().memory->zero(gradient, network.layout().count * sizeof(T));
        one.pass.rows = 0;
      }
    }
    if (one.pass.rows == 0) continue;
    if (work.forward)
      run_forward(one, step);
    else
      run_backward(one, step);
  }
  links_.await_handed_back();
}

template <class T>
void StageMember<T>::run_forward(ShardPass<T>& one, const Step& step) {
  const Network<T>& network = trainer_.in_.network;
  const StageLayers& own = stages_[static_cast<std::size_t>(own_)];
  const StageLinks::Crossing crossing{step.number, one.shard, true};
  if (own_ > 0) links_.take(crossing, spans_of<T>(one.pass, enter_));
  for (std::size_t layer = own.first; layer < own.last; ++layer) {
    network.forward(one.pass, layer, layer + 1);
    links_.advance();
  }
  if (is_last())
    trainer_.sums_[static_cast<std::size_t>(one.shard)] =
        network.loss(one.pass, trainer_.in_.loss, one.target);
  else
    links_.hand_on(crossing, spans_of<const T>(one.pass, leave_));
}

template <class T>
void StageMember<T>::run_backward(ShardPass<T>& one, const Step& step) {
  const Network<T>& network = trainer_.in_.network;
  const StageLayers& own = stages_[static_cast<std::size_t>(own_)];
  const StageLinks::Crossing crossing{step.number, one.shard, false};
  if (!is_last()) links_.take(crossing, spans_of<T>(one.pass, come_back_));
  for (std::size_t layer = own.last; layer-- > own.first;) {
    network.backward(one.pass, layer, layer + 1);
    links_.advance();
  }
  if (own_ > 0) links_.hand_on(crossing, spans_of<const T>(one.pass, give_back_));
}

template class StageMember<float>;

}  // namespace nn
