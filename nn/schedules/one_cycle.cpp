#include "nn/schedules/one_cycle.h"

namespace nn {
namespace {

class OneCycleSchedule final : public Schedule {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "one_cycle",
        .doc =
            "Raises the rate to its full value and lowers it to nearly 0, each along half a cosine "
            "wave.",
        .fields = {
            length_field(),
            share_field("rise", 0.3, "Share of the length in which the rate rises."),
            share_field("start", 0.04, "Rate at the beginning, as a share of the full rate."),
            share_field("floor", 4e-6, "Rate at the end, as a share of the full rate.")}};
    return kInfo;
  }
  [[nodiscard]] LrCurve curve(const Fields& fields, double lr, std::int64_t epochs) const override {
    const double length = length_of(fields, epochs);
    const double floor = lr * real(fields, "floor");
    LrCurve curve;
    append(curve, LrShape::cosine, length * real(fields, "rise"), lr * real(fields, "start"), lr);
    append(curve, LrShape::cosine, length, lr, floor);
    append_rest(curve, floor);
    return curve;
  }
};

}  // namespace

const Schedule& one_cycle_schedule() {
  static const OneCycleSchedule kSchedule;
  return kSchedule;
}

}  // namespace nn
