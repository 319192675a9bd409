#include "nn/schedules/warmup.h"

namespace nn {
namespace {

class WarmupSchedule final : public Schedule {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "warmup",
        .doc = "Raises the rate linearly to its full value, where it stays.",
        .fields = {
            {.name = "epochs",
             .type = FieldType::real,
             .min = 0,
             .max = 1e6,
             .value = 1.0,
             .doc = "Epochs of the rise. Fractions of an epoch count.",
             .min_excluded = true},
            share_field("start", 0.1, "Rate at the beginning, as a share of the full rate.")}};
    return kInfo;
  }
  [[nodiscard]] LrCurve curve(const Fields& fields, double lr, std::int64_t) const override {
    LrCurve curve;
    append(curve, LrShape::linear, real(fields, "epochs"), lr * real(fields, "start"), lr);
    append_rest(curve, lr);
    return curve;
  }
};

}  // namespace

const Schedule& warmup_schedule() {
  static const WarmupSchedule kSchedule;
  return kSchedule;
}

}  // namespace nn
