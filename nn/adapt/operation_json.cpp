#include "nn/adapt/operation_json.h"

#include <cstdint>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"

namespace nn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShown = 80;

std::string excerpt(const Json& json) {
  return base::printable(json.dump(-1, ' ', false, Json::error_handler_t::replace), kShown);
}

[[noreturn]] void fail(const Json& json) {
  throw base::Error(base::Errc::data,
                    excerpt(json) + " is no operation, expected " + std::string(kOperationForm));
}

FieldValue value_of(const Json& json, const std::string& name) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
    throw base::Error(base::Errc::data, base::printable(name, kShown) + " is " + excerpt(json) +
                                            ", expected a number below 2^63");
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  throw base::Error(base::Errc::data, base::printable(name, kShown) + " is " + excerpt(json) +
                                          ", expected a number, a word, true or false");
}

/// The kind of an operation and its fields, whichever way it is written.
std::pair<std::string, const Json*> form_of(const Json& json) {
  if (!json.is_object()) fail(json);
  if (const auto type = json.find("type"); type != json.end() && type->is_string())
    return {type->get<std::string>(), &json};
  if (json.size() != 1 || !json.front().is_object()) fail(json);
  return {json.begin().key(), &json.front()};
}

Operation operation_of(const Json& json) {
  const auto [kind, fields] = form_of(json);
  (void)operation_kind(kind);
  Operation operation{.kind = kind, .layer = "", .fields = {}};
  for (const auto& [name, value] : fields->items()) {
    if (name == "type" && fields == &json) continue;
    if (name != "layer") {
      operation.fields[name] = value_of(value, name);
    } else if (value.is_string()) {
      operation.layer = value.get<std::string>();
    } else {
      throw base::Error(base::Errc::data,
                        "layer is " + excerpt(value) + ", expected the name of a layer");
    }
  }
  return complete(operation);
}

}  // namespace

std::string json_of(const Operations& operations) {
  Json list = Json::array();
  for (const Operation& operation : operations) {
    Json fields{{"layer", operation.layer}};
    for (const auto& [name, value] : operation.fields)
      std::visit([&, &key = name](const auto& v) { fields[key] = v; }, value);
    list.push_back({{operation.kind, std::move(fields)}});
  }
  return list.dump();
}

Operations operations_from_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    throw base::Error(base::Errc::data, "no JSON: " + base::printable(text, kShown));
  Operations operations;
  if (!json.is_array()) return {operation_of(json)};
  for (const Json& operation : json) operations.push_back(operation_of(operation));
  return operations;
}

}  // namespace nn
