#include "nn/fields_json.h"

#include <concepts>

namespace nn {

void put_fields(base::JsonWriter& json, const Fields& fields) {
  const auto put = [&](const auto& value) {
    if constexpr (std::same_as<decltype(value), const NumberByName&>) {
      json.begin_object();
      for (const auto& [name, number] : value) json.field(name, number);
      json.end_object();
    } else {
      json.value(value);
    }
  };
  for (const auto& [name, value] : fields) {
    json.key(name);
    std::visit(put, value);
  }
}

}  // namespace nn
