#include "nn/adapt/operation_json.h"

#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "nn/fields_json.h"

namespace nn {
namespace {

using base::Json;

constexpr std::size_t kShown = 80;

std::string excerpt(const Json& json) { return base::printable(json.raw(), kShown); }

[[noreturn]] void fail(const Json& json) {
  throw base::Error(base::Errc::data, excerpt(json) + " is not an operation, expected " +
                                          std::string(kOperationForm));
}

FieldValue value_of(const Json& json, const std::string& name) {
  if (const auto truth = json.as_bool()) return *truth;
  if (const auto number = json.as_integer()) return *number;
  if (json.as_unsigned())
    throw base::Error(base::Errc::data, base::printable(name, kShown) + " is " + excerpt(json) +
                                            ", expected a number below 2^63");
  if (const auto number = json.as_number()) return *number;
  if (auto text = json.as_text()) return std::move(*text);
  throw base::Error(base::Errc::data, base::printable(name, kShown) + " is " + excerpt(json) +
                                          ", expected a number, a word, true or false");
}

/// The kind of an operation and its fields, whichever way it is written.
std::pair<std::string, const Json*> form_of(const Json& json) {
  if (!json.is_object()) fail(json);
  if (const Json* type = json.find("type"); type != nullptr && type->is_text())
    return {type->text(), &json};
  const auto& members = json.members();
  if (members.size() != 1 || !members[0].second.is_object()) fail(json);
  return {members[0].first, &members[0].second};
}

Operation operation_of(const Json& json) {
  const auto [kind, fields] = form_of(json);
  (void)operation_kind(kind);
  Operation operation{.kind = kind, .layer = "", .fields = {}};
  for (const auto& [name, value] : fields->members()) {
    if (name == "type" && fields == &json) continue;
    if (name != "layer") {
      operation.fields[name] = value_of(value, name);
    } else if (value.is_text()) {
      operation.layer = value.text();
    } else {
      throw base::Error(base::Errc::data,
                        "layer is " + excerpt(value) + ", expected the name of a layer");
    }
  }
  return complete(operation);
}

}  // namespace

std::string json_of(const Operations& operations) {
  base::JsonWriter json(base::JsonStyle::compact);
  json.begin_array();
  for (const Operation& operation : operations) {
    json.begin_object().key(operation.kind).begin_object().field("layer", operation.layer);
    put_fields(json, operation.fields);
    json.end_object().end_object();
  }
  json.end_array();
  return std::move(json).text();
}

Operations operations_from_json(std::string_view text) {
  const auto json = Json::try_parse(text, {.utf8 = true});
  if (!json) throw base::Error(base::Errc::data, "no JSON: " + base::printable(text, kShown));
  Operations operations;
  if (!json->is_list()) return {operation_of(*json)};
  for (const auto& [none, operation] : json->members())
    operations.push_back(operation_of(operation));
  return operations;
}

}  // namespace nn
