#pragma once
// How a network is trained: everything besides the spec, the data and the segment that decides the
// resulting bits.

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/precision.h"
#include "nn/fields.h"
#include "nn/training/lr_curve.h"

namespace nn {

/// A penalty that pulls whole units to 0 while training (group_lasso.h). Encodable.
struct UnitPenalty {
  /// Times the learning rate: the share of its layer's mean norm that a unit loses in an epoch
  /// when nothing holds it. 0: none.
  double strength = 0;
  std::int64_t until = 0;  ///< epoch from which on there is none; 0: it never ends
  auto operator<=>(const UnitPenalty&) const = default;
};

/// Which ways an image may be turned over: left to right, top to bottom.
enum class Flip : std::uint8_t { none, horizontal, vertical, both };

/// How training moves images at random (augment.h). Encodable.
struct Augment {
  std::int32_t shift = 0;  ///< pixels, at most, along each side
  Flip flip = Flip::none;
  auto operator<=>(const Augment&) const = default;
};
inline constexpr std::int32_t kMostShift = 1000;

/// Encodable plain aggregate. Canonical after `complete`.
struct Hyper {
  /// One of loss_kinds(); what it says about classes follows the training part (losses/loss.h).
  Choice loss;
  Choice optimizer;  ///< one of optimizer_kinds(); lr, momentum, weight_decay... are its fields
  std::int32_t batch = 64;  ///< rows a step; the last batch of an epoch holds what is left
  /// Parts that each batch's gradient is computed in and summed over in order: part of the meaning,
  /// not of the machine.
  std::int32_t shards = 1;  ///< 0: as many as the network makes worth while (train.h, shards_of)
  /// Names the order of rows: epoch e visits permutation(shuffle, e). Derived from the study's seed
  /// and the data's key, never from a trial, so that trials can share what they have in common.
  std::uint64_t shuffle = 0;
  /// Rates that take the place of the optimizer's `lr`, step by step; empty: that one holds
  /// throughout. Units that a reshape adds follow it from their first step on: the rate belongs to
  /// the moment, not to the age of a weight.
  LrCurve lr = {};
  UnitPenalty penalty = {};
  /// The Euclidean norm that a step's gradient has at most, over all weights and summed over the
  /// shards: a longer one is shortened to it (Pascanu et al. 2013, algorithm 1). 0: none is.
  double clip = 0;
  Augment augment = {};  ///< of training alone, never of scoring
  /// What training rounds the operands of dense layers' products to; scores are those of float
  /// products.
  kern::Precision precision = kern::Precision::f32;
  auto operator<=>(const Hyper&) const = default;
};

/// Every loss, optimizer and learning-rate schedule, in the order of their registries. Valid for
/// the life of the process; any thread.
[[nodiscard]] std::span<const KindInfo> loss_kinds();
[[nodiscard]] std::span<const KindInfo> optimizer_kinds();
[[nodiscard]] std::span<const KindInfo> schedule_kinds();

/// Table entries by word; throw SpecError naming the nearest known kind.
[[nodiscard]] const KindInfo& loss_kind(std::string_view kind);
[[nodiscard]] const KindInfo& optimizer_kind(std::string_view kind);

/// What a loss compares the outputs with: class labels, or numbers.
enum class TargetKind : std::uint8_t { labels, numbers };
[[nodiscard]] TargetKind target_kind(std::string_view loss);

/// Numbers that a network puts out under a loss for data with that many classes or numbers; throws
/// SpecError (field `loss`) for data that the loss is not for.
[[nodiscard]] std::int64_t outputs_for(std::string_view loss, std::int64_t of_data);

/// `hyper` with all fields of loss and optimizer present and everything checked; throws SpecError.
[[nodiscard]] Hyper complete(const Hyper& hyper);

/// The curve of a schedule over a training of `epochs` epochs whose optimizer has the rate `lr`.
/// Throws SpecError.
[[nodiscard]] LrCurve schedule_curve(const Choice& schedule, double lr, std::int64_t epochs);

/// Optimizer slots (copies of the weights' size) that this choice needs.
[[nodiscard]] int optimizer_slots(const Choice& optimizer);

}  // namespace nn
