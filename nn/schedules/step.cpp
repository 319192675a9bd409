#include "nn/schedules/step.h"

#include <cmath>
#include <string>

#include "base/words.h"
#include "nn/error.h"

namespace nn {
namespace {

class StepSchedule final : public Schedule {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{.kind = "step",
                                .doc = "Multiplies the rate by `factor` every `every` epochs.",
                                .fields = {{.name = "every",
                                            .type = FieldType::integer,
                                            .min = 1,
                                            .max = 1e6,
                                            .value = std::int64_t{10},
                                            .doc = "Epochs between two changes of the rate."},
                                           {.name = "factor",
                                            .type = FieldType::real,
                                            .min = 0,
                                            .max = 1,
                                            .value = 0.1,
                                            .doc = "Factor by which the rate is multiplied.",
                                            .min_excluded = true},
                                           warmup_field()}};
    return kInfo;
  }
  [[nodiscard]] LrCurve curve(const Fields& fields, double lr, std::int64_t epochs) const override {
    const std::int64_t every = integer(fields, "every");
    const double factor = real(fields, "factor");
    if (const double warmup = real(fields, "warmup"); warmup > static_cast<double>(every)) {
      throw SpecError(-1, "warmup",
                      "warmup of the schedule step must be at most every (" +
                          base::counted(every, "epoch") + "), not " + to_text(warmup));
    }
    LrCurve curve;
    append_warmup(curve, fields, lr);
    std::int64_t changes = 0;
    const auto rate = [&] { return lr * std::pow(factor, static_cast<double>(changes)); };
    for (; (changes + 1) * every < epochs; ++changes)
      append(curve, LrShape::constant, static_cast<double>((changes + 1) * every), rate(), rate());
    append_rest(curve, rate());
    return curve;
  }
};

}  // namespace

const Schedule& step_schedule() {
  static const StepSchedule kSchedule;
  return kSchedule;
}

}  // namespace nn
