#include "nn/schedules/schedule.h"

#include <utility>

namespace nn {
namespace {

/// Share of the rate at which a rise begins where nothing else says so. At 0 the first step would
/// do nothing.
constexpr double kFirstShare = 0.1;

}  // namespace

FieldInfo length_field() {
  return {.name = "epochs",
          .type = FieldType::integer_or_word,
          .min = 1,
          .max = 1e6,
          .choices = {"auto"},
          .value = std::string("auto"),
          .doc =
              "Length of the schedule. `auto`: the length of the trial. With a number, trials of "
              "different lengths share their common epochs."};
}

double length_of(const Fields& fields, std::int64_t epochs) {
  const auto* own = std::get_if<std::int64_t>(&fields.at("epochs"));
  return static_cast<double>(own != nullptr ? *own : epochs);
}

FieldInfo share_field(std::string name, double value, std::string doc) {
  return {.name = std::move(name),
          .type = FieldType::real,
          .min = 0,
          .max = 1,
          .value = value,
          .doc = std::move(doc)};
}

FieldInfo warmup_field() {
  return {.name = "warmup",
          .type = FieldType::real,
          .min = 0,
          .max = 1e6,
          .value = 0.0,
          .doc = "Epochs at the beginning in which the rate rises linearly from a tenth."};
}

void append_warmup(LrCurve& curve, const Fields& fields, double lr) {
  append(curve, LrShape::linear, real(fields, "warmup"), kFirstShare * lr, lr);
}

}  // namespace nn
