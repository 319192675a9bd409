#include "nn/schedules/cosine.h"

#include "nn/error.h"

namespace nn {
namespace {

class CosineSchedule final : public Schedule {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "cosine",
        .doc = "Lowers the rate along half a cosine wave to its floor, where it stays.",
        .fields = {length_field(),
                   share_field("floor", 0.0,
                               "Rate at the end, as a share of the "
                               "full rate."),
                   warmup_field()}};
    return kInfo;
  }
  [[nodiscard]] LrCurve curve(const Fields& fields, double lr, std::int64_t epochs) const override {
    const double floor = lr * real(fields, "floor"), length = length_of(fields, epochs);
    if (const double warmup = real(fields, "warmup"); warmup >= length) {
      throw SpecError(-1, "warmup",
                      "warmup of the schedule cosine must be below its length (" + to_text(length) +
                          (length == 1 ? " epoch" : " epochs") + "), not " + to_text(warmup));
    }
    LrCurve curve;
    append_warmup(curve, fields, lr);
    append(curve, LrShape::cosine, length, lr, floor);
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
