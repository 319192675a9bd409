#include "base/kind.h"

#include <algorithm>
#include <utility>

namespace base {

const FieldInfo* KindInfo::field(std::string_view name) const {
  const auto it = std::ranges::find(fields, name, &FieldInfo::name);
  return it == fields.end() ? nullptr : &*it;
}

FieldInfo integer_field(std::string name, std::int64_t otherwise, double least, std::string unit,
                        std::string doc, double most) {
  return {.name = std::move(name),
          .type = FieldType::integer,
          .min = least,
          .max = most,
          .value = otherwise,
          .unit = std::move(unit),
          .doc = std::move(doc)};
}

FieldInfo boolean_field(std::string name, bool otherwise, std::string doc) {
  return {.name = std::move(name),
          .type = FieldType::boolean,
          .value = otherwise,
          .doc = std::move(doc)};
}

}  // namespace base
