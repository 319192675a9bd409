#include "nn/training/pipeline.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "nn/model/layer_flops.h"

namespace nn {

namespace {

/// Returns true if `work` of a stage can begin, where `forward` and `backward` say how many shards
/// have left a stage in that direction.
template <class Forward, class Backward>
bool can_begin(const StageWork& work, std::size_t stage, std::size_t stages, Forward forward,
               Backward backward) {
  if (work.forward) return stage == 0 || forward(stage - 1) > work.shard;
  return stage + 1 == stages || backward(stage + 1) > work.shard;
}

/// Returns the stages that are made if each takes as many layers as fit into `most` FLOPs.
std::vector<StageLayers> cut(std::span<const std::uint64_t> flops, std::uint64_t most) {
  std::vector<StageLayers> stages{{}};
  for (std::size_t i = 0; i < flops.size(); ++i) {
    if (flops[i] > 0 && stages.back().flops > 0 && stages.back().flops + flops[i] > most)
      stages.push_back({.first = i, .last = i});
    stages.back().flops += flops[i];
    stages.back().last = i + 1;
  }
  return stages;
}

/// Splits the stage with the most FLOPs of those that can be split, as evenly as possible. Returns
/// false if there is none.
bool split_largest(std::vector<StageLayers>& stages, std::span<const std::uint64_t> flops) {
  std::size_t largest = stages.size(), at = 0;
  std::uint64_t before = 0;  // FLOPs of its first half
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const StageLayers& stage = stages[i];
    if (largest < stages.size() && stage.flops <= stages[largest].flops) continue;
    std::uint64_t sum = 0, least = stage.flops;
    for (std::size_t layer = stage.first; layer < stage.last; ++layer) {
      const std::uint64_t larger = std::max(sum, stage.flops - sum);
      if (flops[layer] > 0 && sum > 0 && larger < least) {
        least = larger;
        largest = i;
        at = layer;
        before = sum;
      }
      sum += flops[layer];
    }
  }
  if (largest == stages.size()) return false;
  StageLayers& first = stages[largest];
  const StageLayers second{.first = at, .last = first.last, .flops = first.flops - before};
  first.last = at;
  first.flops = before;
  stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(largest) + 1, second);
  return true;
}

}  // namespace

StageWork work_of_stage(int number, int stage, int stages, int shards, StageOrder order) {
  const int ahead =
      order == StageOrder::all_forward_first ? shards : std::min(shards, stages - 1 - stage);
  if (number < ahead) return {true, number};
  const int behind = number - ahead, pairs = shards - ahead;
  if (behind >= 2 * pairs) return {false, behind - pairs};
  return behind % 2 == 0 ? StageWork{true, ahead + behind / 2} : StageWork{false, behind / 2};
}

int shards_under_way(int stages, int shards, StageOrder order) {
  return order == StageOrder::all_forward_first ? shards : std::min(stages, shards);
}

std::vector<StageLayers> stages_of(const ModelSpec& spec, int stages) {
  std::vector<std::uint64_t> flops;
  for (const Flops& layer : flops_by_layer(spec)) flops.push_back(layer.training);
  // The least bound that gives few enough stages is the sum over some consecutive layers.
  std::vector<std::uint64_t> bounds;
  for (std::size_t i = 0; i < flops.size(); ++i) {
    std::uint64_t sum = 0;
    for (std::size_t j = i; j < flops.size(); ++j) bounds.push_back(sum += flops[j]);
  }
  std::ranges::sort(bounds);
  const auto fits = [&](std::uint64_t bound) {
    return bound >= *std::ranges::max_element(flops) &&
           cut(flops, bound).size() <= static_cast<std::size_t>(stages);
  };
  const auto least = std::ranges::partition_point(bounds, [&](auto bound) { return !fits(bound); });
  std::vector<StageLayers> made = cut(flops, least == bounds.end() ? 0 : *least);
  while (made.size() < static_cast<std::size_t>(stages) && split_largest(made, flops)) {
  }
  return made;
}

double pipeline_seconds(std::span<const StageSeconds> stages, int shards, StageOrder order) {
  struct Played {
    int next = 0;
    double free = 0;
    std::vector<double> forward, backward;  // when a shard has left it and reached the next one
  };
  const int count = static_cast<int>(stages.size());
  std::vector<Played> played(stages.size());
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t i = 0; i < played.size(); ++i) {
      Played& stage = played[i];
      while (stage.next < 2 * shards) {
        const StageWork work = work_of_stage(stage.next, static_cast<int>(i), count, shards, order);
        const auto left = [&](auto member) {
          return
              [&, member](std::size_t s) { return static_cast<int>((played[s].*member).size()); };
        };
        if (!can_begin(work, i, played.size(), left(&Played::forward), left(&Played::backward)))
          break;
        const auto shard = static_cast<std::size_t>(work.shard);
        double come = 0;
        if (work.forward && i > 0) come = played[i - 1].forward[shard];
        if (!work.forward && i + 1 < played.size()) come = played[i + 1].backward[shard];
        stage.free =
            std::max(stage.free, come) + (work.forward ? stages[i].forward : stages[i].backward);
        if (work.forward)
          stage.forward.push_back(stage.free + stages[i].to_next);
        else
          stage.backward.push_back(stage.free + stages[i].to_previous);
        ++stage.next;
        moved = true;
      }
    }
  }
  return std::ranges::max(played, {}, &Played::free).free;
}

Pipeline::Pipeline(int stages, StageOrder order, Run run)
    : stages_(static_cast<std::size_t>(stages)), order_(order), run_(std::move(run)) {}

void Pipeline::run(int shards, Parallel* parallel) {
  std::ranges::fill(stages_, Stage{});
  shards_ = shards;
  left_ = 2 * shards * static_cast<int>(stages_.size());
  failed_ = nullptr;
  if (parallel == nullptr)
    serve(0);
  else
    run_parts(*parallel, static_cast<int>(stages_.size()),
              [this](int part, Workspace&) { serve(part); });
  if (failed_) std::rethrow_exception(failed_);
}

StageWork Pipeline::next_of(std::size_t stage) const {
  return work_of_stage(stages_[stage].next, static_cast<int>(stage),
                       static_cast<int>(stages_.size()), shards_, order_);
}

void Pipeline::serve(int own) {
  while (true) {
    const unsigned seen = changes_.load();
    const int stage = take(own);
    if (stage == kDone) return;
    if (stage == kNothing) {
      changes_.wait(seen);
      continue;
    }
    // Nobody else changes a stage that is busy.
    const StageWork work = next_of(static_cast<std::size_t>(stage));
    std::exception_ptr error;
    try {
      run_(stage, work);
    } catch (...) {
      error = std::current_exception();
    }
    leave(stage, work, error);
  }
}

int Pipeline::take(int own) {
  const std::lock_guard lock(mutex_);
  if (left_ == 0 || failed_) return kDone;
  const auto count = stages_.size();
  for (std::size_t i = 0; i < count; ++i) {
    // Its own first: the weights of that stage are in its core's cache.
    const std::size_t at = (static_cast<std::size_t>(own) + i) % count;
    if (!is_ready(at)) continue;
    stages_[at].busy = true;
    return static_cast<int>(at);
  }
  return kNothing;
}

bool Pipeline::is_ready(std::size_t stage) const {
  const Stage& one = stages_[stage];
  if (one.busy || one.next == 2 * shards_) return false;
  return can_begin(
      next_of(stage), stage, stages_.size(), [&](std::size_t s) { return stages_[s].forward; },
      [&](std::size_t s) { return stages_[s].backward; });
}

void Pipeline::leave(int stage, const StageWork& work, std::exception_ptr error) {
  {
    const std::lock_guard lock(mutex_);
    Stage& one = stages_[static_cast<std::size_t>(stage)];
    one.busy = false;
    ++(work.forward ? one.forward : one.backward);
    ++one.next;
    --left_;
    if (error && !failed_) failed_ = error;
  }
  ++changes_;
  changes_.notify_all();
}

}  // namespace nn
