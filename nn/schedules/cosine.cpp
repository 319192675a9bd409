#include "nn/schedules/cosine.h"

namespace nn {
namespace {

class CosineSchedule final : public Schedule {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "cosine",
        .doc = "Half a wave of the cosine from the rate to its floor, where it stays.",
        .fields = {length_field(),
                   share_field("floor", 0.0, "Share of the rate that is left at the end."),
                   warmup_field()}};
    return kInfo;
  }
  [[nodiscard]] LrCurve curve(const Fields& fields, double lr, std::int64_t epochs) const override {
    const double floor = lr * real(fields, "floor");
    LrCurve curve;
    append_warmup(curve, fields, lr);
    append(curve, LrShape::cosine, length_of(fields, epochs), lr, floor);
    append_rest(curve, floor);
    return curve;
  }
};

}  // namespace

const Schedule& cosine_schedule() {
  static const CosineSchedule kSchedule;
  return kSchedule;
}

}  // namespace nn
