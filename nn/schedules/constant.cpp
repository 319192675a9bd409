#include "nn/schedules/constant.h"

namespace nn {
namespace {

class ConstantSchedule final : public Schedule {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "constant", .doc = "Keeps the optimizer's rate.", .fields = {}};
    return kInfo;
  }
  [[nodiscard]] LrCurve curve(const Fields&, double lr, std::int64_t) const override {
    LrCurve curve;
    append_rest(curve, lr);
    return curve;
  }
};

}  // namespace

const Schedule& constant_schedule() {
  static const ConstantSchedule kSchedule;
  return kSchedule;
}

}  // namespace nn
