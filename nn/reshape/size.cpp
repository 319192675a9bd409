#include "nn/reshape/size.h"

#include <utility>

#include "nn/error.h"

namespace nn {
namespace {

constexpr double kMostUnits = 1'000'000;

FieldInfo size_field(std::string name, std::string doc) {
  return {.name = std::move(name),
          .type = FieldType::integer_or_word,
          .min = 1,
          .max = kMostUnits,
          .choices = {"none"},
          .value = "none",
          .doc = std::move(doc)};
}

bool given(const Operation& operation, std::string_view name) {
  const auto it = operation.fields.find(std::string(name));
  return std::holds_alternative<std::int64_t>(it->second);
}

}  // namespace

FieldInfo by_field(std::string doc) { return size_field("by", std::move(doc)); }

FieldInfo to_field() { return size_field("to", "Number of units afterwards, instead of `by`."); }

void check_size(const Operation& operation) {
  if (given(operation, "by") == given(operation, "to")) {
    throw SpecError(-1, "by", "expected either by or to");
  }
}

std::int64_t new_size(const Operation& operation, std::int64_t units, int sign) {
  return given(operation, "to") ? integer(operation.fields, "to")
                                : units + sign * integer(operation.fields, "by");
}

}  // namespace nn
