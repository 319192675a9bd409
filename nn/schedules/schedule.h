#pragma once
// What a kind of learning-rate schedule is: one object per kind, listed in registry.cpp.

#include <cstdint>
#include <span>
#include <string_view>

#include "nn/fields.h"
#include "nn/training/hyper.h"
#include "nn/training/lr_curve.h"

namespace nn {

class Schedule {
 public:
  virtual ~Schedule() = default;
  [[nodiscard]] virtual const KindInfo& info() const = 0;
  /// The rate over a training of `epochs` epochs whose optimizer has the rate `lr`, for complete
  /// fields. Where a field says `auto`, the trial's length takes part; otherwise it should not, so
  /// that longer and shorter trials share what they have in common.
  [[nodiscard]] virtual LrCurve curve(const Fields& fields, double lr,
                                      std::int64_t epochs) const = 0;
};

/// The registry: every kind, and the one behind a word (throws SpecError naming the nearest known
/// kind).
[[nodiscard]] std::span<const Schedule* const> schedules();
[[nodiscard]] const Schedule& schedule_of(std::string_view kind);

/// The fields that several schedules share.
/// Epochs that the schedule takes; `auto`: the trial's own.
[[nodiscard]] FieldInfo length_field();
[[nodiscard]] double length_of(const Fields& fields, std::int64_t epochs);
/// A share of the rate, in [0, 1].
[[nodiscard]] FieldInfo share_field(std::string name, double value, std::string doc);
/// Epochs of a linear rise before the schedule proper begins, and the piece that it becomes.
[[nodiscard]] FieldInfo warmup_field();
void append_warmup(LrCurve& curve, const Fields& fields, double lr);

}  // namespace nn
