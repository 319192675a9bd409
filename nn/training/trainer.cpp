#include "nn/training/trainer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "nn/data/block.h"
#include "nn/training/gradient_sink.h"
#include "nn/training/overlap.h"
#include "nn/training/pipelined.h"
#include "nn/training/stage_member.h"

namespace nn {

namespace {

/// Returns the elements that an optimizer's kernel changes at once. A device is faster with all of
/// them.
std::size_t update_part(const kern::Memory& memory, const ParamLayout& layout) {
  return memory.own ? kUpdatePart : std::max(layout.trained, kAlignElements);
}

/// Returns the shards whose gradients are kept side by side. A power of two, so that a wave is a
/// subtree of the sum.
int wave_of(const kern::Memory& memory, int shards) {
  constexpr int kOnDevice = 8;
  return std::min(shards, memory.own ? kShardsSideBySide : kOnDevice);
}

/// Returns the gradients in memory at the same time: a wave, and the sums of the waves before it,
/// of which each is twice as large as the next one, as the digits of a binary counter are.
int gradient_blocks(const kern::Memory& memory, int shards) {
  const int wave = wave_of(memory, shards);
  const auto waves = static_cast<unsigned>((shards + wave - 1) / wave);
  return wave + std::bit_width(waves - 1);
}

/// Words of a gang's gathering for the sums of a shard.
constexpr std::size_t kLossWords = 4;
static_assert(sizeof(kern::LossSums) == kLossWords * sizeof(std::uint32_t));

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
std::size_t Trainer<T>::arena_bytes(const Network<T>& network, const DataView& data, int shards,
                                    int held, int passes) {
  const int blocks = gradient_blocks(*network.kernels().memory, shards) + held;
  return pass_bytes(network, data) * static_cast<std::size_t>(passes) +
         Block::aligned(network.layout().count * sizeof(T)) * static_cast<std::size_t>(blocks);
}

template <class T>
Trainer<T>::Trainer(const StepPlan& plan, TrainerInputs<T> inputs)
    : in_(std::move(inputs)),
      shards_(plan.shards),
      wave_(wave_of(*in_.network.kernels().memory, plan.shards)),
      passes_(plan.passes),
      clip_(plan.clip),
      ids_(in_.units),
      draws_{.stream = plan.stream, .units = &ids_, .step_buffer = in_.step_buffer},
      reader_(in_.network, in_.data),
      pass_bytes_(pass_bytes(in_.network, in_.data)),
      sums_(static_cast<std::size_t>(shards_)) {
  const ParamLayout& layout = in_.network.layout();
  const kern::Memory& memory = *in_.network.kernels().memory;
  const int held = plan.stale ? plan.stale->replicas : 0;
  first_held_ = gradient_blocks(memory, shards_);
  const auto blocks = static_cast<std::size_t>(first_held_ + held);
  const std::size_t rows =
      static_cast<std::size_t>(shards_) * static_cast<std::size_t>(in_.network.max_rows());
  if (shards_ == 1) in_.parallel = nullptr;
  if (in_.feed != nullptr) {
    places_.resize(rows);
    std::iota(places_.begin(), places_.end(), 0U);
  }
  if (moves(plan.augment)) {
    mover_.emplace(plan.augment, plan.stream);
    moves_.resize(rows);
  }
  if (plan.penalty.strength > 0) lasso_.emplace(in_.network.spec());
  const std::size_t part = update_part(memory, layout);
  parts_ = in_.update.by_layer() ? layer_parts(layout) : parts_of(layout.trained, part);
  if (plan.aged) {
    if (in_.update.by_layer())
      ages_.emplace(layout, in_.units, parts_);
    else
      ages_.emplace(layout, in_.units, part);
    parts_.assign(ages_->parts().begin(), ages_->parts().end());
  }
  const std::size_t bytes = Block::aligned(layout.count * sizeof(T));
  gradients_ = reinterpret_cast<T*>(in_.arena + pass_bytes_);
  stride_ = static_cast<std::ptrdiff_t>(bytes / sizeof(T));
  // The gaps between tensors take part in sums and updates, and are written by nobody.
  memory.zero(gradients_, bytes * blocks);
  more_passes_ = in_.arena + pass_bytes_ + bytes * blocks;
  if (in_.gang != nullptr) {
    words_.resize(sums_.size() * kLossWords);
    blocks_.reserve(static_cast<std::size_t>(wave_));
    if constexpr (std::is_same_v<T, float>) {
      if (StageLinks* const links = in_.gang->stages())
        stage_ = std::make_unique<StageMember<T>>(*this, *links);
      else if (SumsUnderWay* const sums = in_.gang->under_way())
        overlap_ = std::make_unique<Overlap<T>>(*this, *sums);
    }
  }
  if (plan.stages.size() > 1)
    pipelined_ = std::make_unique<Pipelined<T>>(*this, plan.stages, plan.order);
}

template <class T>
Trainer<T>::~Trainer() = default;

template <class T>
Target Trainer<T>::read(std::size_t from, std::span<const std::uint32_t> rows, std::int64_t epoch,
                        std::byte* arena) {
  std::byte* targets = arena + Block::aligned(in_.network.arena_bytes());
  kern::ImageMove* moves = nullptr;
  if (mover_) {
    moves = moves_.data() + from;
    for (std::size_t r = 0; in_.step_buffer == nullptr && r < rows.size(); ++r)
      moves[r] = mover_->move(rows[r], epoch);
  }
  if (in_.feed == nullptr) return reader_.read(arena, targets, rows, moves, in_.step_buffer);
  return reader_.read(arena, targets, fed_, std::span(places_).subspan(from, rows.size()), moves,
                      in_.step_buffer);
}

template <class T>
void Trainer<T>::run_shard(int shard, T* gradient, const Step& step, const Target* target,
                           std::byte* arena, GradientSink<T>* sink) {
  const Network<T>& network = in_.network;
  const std::size_t i = static_cast<std::size_t>(shard), n = static_cast<std::size_t>(shards_);
  const std::size_t from = step.rows.size() * i / n, to = step.rows.size() * (i + 1) / n;
  if (from == to) {
    sums_[i] = {};
    network.kernels().memory->zero(gradient, network.layout().count * sizeof(T));
    return;
  }
  const auto mine = step.rows.subspan(from, to - from);
  const Target own = target != nullptr ? *target : read(from, mine, step.epoch, arena);
  Draws draws = draws_;
  draws.step = step.number;
  draws.rows = mine.data();
  sums_[i] =
      network.loss_and_gradient(arena, in_.weights, static_cast<int>(mine.size()), in_.loss, own,
                                T(1) / static_cast<T>(step.rows.size()), gradient, draws, sink);
}

template <class T>
bool Trainer<T>::open(ShardPass<T>& passing, int shard, T* gradient, const Step& step,
                      std::byte* arena) {
  const std::size_t i = static_cast<std::size_t>(shard), n = static_cast<std::size_t>(shards_);
  const std::size_t from = step.rows.size() * i / n, to = step.rows.size() * (i + 1) / n;
  if (from == to) {
    sums_[i] = {};
    return false;
  }
  const auto mine = step.rows.subspan(from, to - from);
  passing.shard = shard;
  passing.target = read(from, mine, step.epoch, arena);
  passing.draws = draws_;
  passing.draws.step = step.number;
  passing.draws.rows = mine.data();
  passing.pass = {.arena = arena,
                  .weights = in_.weights,
                  .rows = static_cast<int>(mine.size()),
                  .draws = &passing.draws,
                  .gradient_scale = T(1) / static_cast<T>(step.rows.size()),
                  .gradient = gradient};
  return true;
}

template <class T>
class Trainer<T>::Updating final : public GradientSink<T> {
 public:
  Updating(const TrainerInputs<T>& in, const Step& step) : in_(in), step_(step) {}

  void take(kern::Exec& exec, std::size_t offset, std::size_t count, const T* gradient) override {
    in_.update.run(in_.network.kernels(), exec, count, in_.network.layout().count,
                   in_.weights + offset, gradient, slots_from(in_.slots, offset), step_.number,
                   step_.rate);
  }

 private:
  const TrainerInputs<T>& in_;
  const Step& step_;
};

template <class T>
kern::LossSums Trainer<T>::run(const Step& step, const Target* target) {
  if constexpr (std::is_same_v<T, float>) {
    if (overlap_) return overlap_->step(step);
    if (stage_) return stage_->step(step);
  }
  const bool at_once = updates_at_once();
  if (in_.feed != nullptr) fed_ = in_.feed->take();
  if (at_once) {
    Updating updating(in_, step);
    run_shard(0, block(0), step, target, in_.arena, &updating);
  } else if (in_.gang != nullptr) {
    run_own_shards(step);
  } else {
    run_shards(step, target);
  }
  if (in_.feed != nullptr) in_.feed->give_back();
  const kern::LossSums total = sum_losses();
  if (!std::isfinite(total.loss)) return total;
  if (in_.gang != nullptr) sum_over_gang();
  kern::Exec exec = in_.network.exec(in_.arena, in_.step_buffer);
  if (!at_once) update_all(exec, step);
  finish(exec, step, gradients_);
  return total;
}

template <class T>
void Trainer<T>::settle() {
  if constexpr (std::is_same_v<T, float>) {
    if (overlap_) overlap_->settle();
  }
}

template <class T>
bool Trainer<T>::drop() {
  if constexpr (std::is_same_v<T, float>) {
    if (overlap_) return overlap_->drop();
  }
  return false;
}

template <class T>
void Trainer<T>::finish(kern::Exec& exec, const Step& step, const T* gradient) {
  if (lasso_ && step.pull > 0)
    lasso_->pull(in_.network.kernels(), exec, step.rate * step.pull, in_.weights);
  in_.network.keep_statistics(exec, gradient, in_.weights);
}

template <class T>
kern::LossSums Trainer<T>::hold(const Step& step, int number) {
  if (in_.feed != nullptr) fed_ = in_.feed->take();
  run_shards(step, nullptr);
  if (in_.feed != nullptr) in_.feed->give_back();
  const kern::LossSums total = sum_losses();
  if (!std::isfinite(total.loss)) return total;
  kern::Exec exec = in_.network.exec(in_.arena);
  over_parts([&](kern::Exec& own, const SlabPart& part) { add_up(own, part); });
  add_up(exec, state_part());
  if (clip_ > 0) clip_gradient(exec);
  in_.network.kernels().scaled_copy(exec, in_.network.layout().count, T(1), gradients_,
                                    block(first_held_ + number));
  return total;
}

template <class T>
void Trainer<T>::apply(const Step& step, const T* gradient) {
  if (ages_) in_.update.begin_aged(*ages_, step.number, step.rate);
  over_parts([&](kern::Exec& own, const SlabPart& part) { update(own, part, step, gradient); });
  kern::Exec exec = in_.network.exec(in_.arena);
  finish(exec, step, gradient);
}

template <class T>
void Trainer<T>::run_wave(int first, int count, const Step& step, const Target* target) {
  in_wave_ = count;
  if constexpr (std::is_same_v<T, float>) {
    if (stage_) return stage_->run(first, count, step);
  }
  if (pipelined_) return pipelined_->run(first, count, step);
  const auto run_one = [&](int i, std::byte* arena) {
    run_shard(first + i, block(sums_before_ + i), step, target, arena);
  };
  if (in_.parallel == nullptr) {
    for (int i = 0; i < count; ++i) run_one(i, in_.arena);
    return;
  }
  run_parts(*in_.parallel, count,
            [&](int i, Workspace& workspace) { run_one(i, workspace.arena(pass_bytes_)); });
}

template <class T>
void Trainer<T>::run_shards(const Step& step, const Target* target) {
  sums_before_ = 0;
  for (int first = 0; first < shards_; first += wave_) {
    run_wave(first, std::min(wave_, shards_ - first), step, target);
    if (first + wave_ >= shards_) return;
    // Sums of equally many waves are added, as a binary counter carries.
    const int joins = std::countr_zero(static_cast<unsigned>(first / wave_ + 1));
    const auto carry = [&](kern::Exec& exec, const SlabPart& part) {
      add_up_wave(exec, part);
      for (int i = 0; i < joins; ++i) join_sums(exec, part, sums_before_ + 1 - i);
    };
    over_parts(carry);
    kern::Exec exec = in_.network.exec(in_.arena, in_.step_buffer);
    carry(exec, state_part());
    sums_before_ += 1 - joins;
  }
}

template <class T>
GradientSums::Shards Trainer<T>::own_shards() {
  const GradientSums::Shards own = in_.gang->own(shards_);
  blocks_.clear();
  for (int i = 0; i < std::max(1, own.size()); ++i) blocks_.push_back(block(i));
  return own;
}

template <class T>
void Trainer<T>::run_own_shards(const Step& step) {
  const GradientSums::Shards own = own_shards();
  std::ranges::fill(sums_, kern::LossSums{});
  sums_before_ = 0;
  if (own.size() > 0) run_wave(own.first, own.size(), step, nullptr);
  pack_losses(own);
  in_.gang->gather(words_);
  unpack_losses();
}

template <class T>
void Trainer<T>::pack_losses(GradientSums::Shards own) {
  std::ranges::fill(words_, 0);
  for (int i = own.first; i < own.last; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto words = std::bit_cast<std::array<std::uint32_t, kLossWords>>(sums_[at]);
    std::ranges::copy(words, words_.data() + at * kLossWords);
  }
}

template <class T>
void Trainer<T>::unpack_losses() {
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    std::array<std::uint32_t, kLossWords> words;
    std::copy_n(words_.data() + i * kLossWords, kLossWords, words.begin());
    sums_[i] = std::bit_cast<kern::LossSums>(words);
  }
}

template <class T>
void Trainer<T>::sum_over_gang() {
  if constexpr (std::is_same_v<T, float>)
    in_.gang->sum(blocks_, in_.network.layout().count, shards_);
  in_wave_ = 1;
}

template <class T>
kern::LossSums Trainer<T>::step(const Step& step) {
  return run(step, nullptr);
}

template <class T>
kern::LossSums Trainer<T>::step_on(const Target& target, const Step& step) {
  return run(step, &target);
}

template <class T>
void Trainer<T>::update_all(kern::Exec& exec, const Step& step) {
  if (ages_) in_.update.begin_aged(*ages_, step.number, step.rate);
  add_up(exec, state_part());
  if (clip_ > 0) {
    over_parts([&](kern::Exec& own, const SlabPart& part) { add_up(own, part); });
    clip_gradient(exec);
  }
  // A part is added up and used while it is in a near cache.
  over_parts([&](kern::Exec& own, const SlabPart& part) {
    if (clip_ == 0) add_up(own, part);
    update(own, part, step, gradients_);
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
  if (in_.parallel == nullptr) {
    kern::Exec exec = in_.network.exec(in_.arena, in_.step_buffer);
    for (const SlabPart& part : parts_) f(exec, part);
    return;
  }
  run_parts(*in_.parallel, static_cast<int>(parts_.size()), [&](int i, Workspace& workspace) {
    kern::Exec exec = in_.network.exec(workspace.arena(pass_bytes_));
    f(exec, parts_[static_cast<std::size_t>(i)]);
  });
}

template <class T>
void Trainer<T>::add_up_wave(kern::Exec& exec, const SlabPart& part) const {
  T* const wave = block(sums_before_) + part.offset;
  for (int width = 1; width < in_wave_; width *= 2) {
    for (int left = 0; left + width < in_wave_; left += 2 * width) {
      in_.network.kernels().accumulate(exec, part.count, wave + stride_ * (left + width),
                                       wave + stride_ * left);
    }
  }
}

template <class T>
void Trainer<T>::join_sums(kern::Exec& exec, const SlabPart& part, int sums) const {
  in_.network.kernels().accumulate(exec, part.count, block(sums - 1) + part.offset,
                                   block(sums - 2) + part.offset);
}

template <class T>
void Trainer<T>::add_up(kern::Exec& exec, const SlabPart& part) const {
  add_up_wave(exec, part);
  for (int sums = sums_before_ + 1; sums > 1; --sums) join_sums(exec, part, sums);
}

template <class T>
void Trainer<T>::update(kern::Exec& exec, const SlabPart& part, const Step& step,
                        const T* gradient) const {
  const kern::Kernels<T>& kernels = in_.network.kernels();
  const std::size_t stride = in_.network.layout().count, at = part.offset;
  if (ages_) {
    in_.update.run_aged(kernels, exec, *ages_, part, stride, in_.weights, gradient, in_.slots,
                        step.number, step.rate);
  } else {
    in_.update.run(kernels, exec, part.count, stride, in_.weights + at, gradient + at,
                   slots_from(in_.slots, at), step.number, step.rate);
  }
}

template <class T>
void Trainer<T>::clip_gradient(kern::Exec& exec) {
  const kern::Kernels<T>& kernels = in_.network.kernels();
  const std::size_t trained = in_.network.layout().trained;
  const double norm = std::sqrt(kernels.sum_squares(exec, trained, gradients_));
  if (norm <= clip_) return;
  const T factor = static_cast<T>(clip_ / norm);
  kernels.scale_units(exec, {.outer = 1, .units = 1, .inner = trained}, &factor, gradients_);
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace nn
