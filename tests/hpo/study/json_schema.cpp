#include "tests/hpo/study/json_schema.h"

#include <regex>
#include <set>

#include "hpo/space/value.h"

namespace hpo {

namespace {

using Json = nlohmann::json;

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  [[nodiscard]] std::string check(const Json& schema, const Json& value,
                                  const std::string& at) const {
    static const std::set<std::string> kKnown{
        "$schema",         "title",         "description",
        "definitions",     "$ref",          "anyOf",
        "oneOf",           "type",          "enum",
        "const",           "properties",    "required",
        "items",           "pattern",       "minimum",
        "maximum",         "minItems",      "additionalProperties",
        "propertyNames",   "minProperties", "exclusiveMinimum",
        "exclusiveMaximum"};
    for (const auto& [keyword, unused] : schema.items()) {
      if (!kKnown.contains(keyword)) return at + ": unknown keyword " + keyword;
    }
    if (schema.contains("$ref")) {
      const std::string target = schema["$ref"].get<std::string>().substr(1);
      const std::string problem = check(root_.at(Json::json_pointer(target)), value, at);
      if (!problem.empty()) return problem;
    }
    if (schema.contains("anyOf") && !any(schema["anyOf"], value, at))
      return at + ": no form fits " + value.dump();
    if (schema.contains("oneOf") && fitting(schema["oneOf"], value, at) != 1)
      return at + ": not one form fits " + value.dump();
    if (schema.contains("type") && !has_type(schema["type"], value))
      return at + ": wrong type " + value.dump();
    if (schema.contains("const") && schema["const"] != value)
      return at + ": is not " + schema["const"].dump();
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end()) {
      return at + ": none of " + schema["enum"].dump();
    }
    if (value.is_number()) return check_number(schema, value.get<double>(), at);
    if (value.is_string() && schema.contains("pattern") &&
        !std::regex_search(value.get<std::string>(),
                           std::regex(schema["pattern"].get<std::string>()))) {
      return at + ": does not match";
    }
    if (value.is_array()) return check_array(schema, value, at);
    if (value.is_object()) return check_object(schema, value, at);
    return "";
  }

 private:
  [[nodiscard]] bool any(const Json& forms, const Json& value, const std::string& at) const {
    return std::any_of(forms.begin(), forms.end(),
                       [&](const Json& form) { return check(form, value, at).empty(); });
  }

  [[nodiscard]] std::ptrdiff_t fitting(const Json& forms, const Json& value,
                                       const std::string& at) const {
    return std::count_if(forms.begin(), forms.end(),
                         [&](const Json& form) { return check(form, value, at).empty(); });
  }

  static bool has_type(const Json& type, const Json& value) {
    if (type.is_array())
      return std::any_of(type.begin(), type.end(),
                         [&](const Json& t) { return has_type(t, value); });
    if (type == "integer")
      return value.is_number() && value.get<double>() == std::floor(value.get<double>());
    if (type == "number") return value.is_number();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    return type == "array" ? value.is_array() : value.is_object();
  }

  static std::string check_number(const Json& schema, double value, const std::string& at) {
    const auto limit = [&](const char* key, auto broken) {
      return schema.contains(key) && broken(schema[key].get<double>());
    };
    const bool bad = limit("minimum", [&](double b) { return value < b; }) ||
                     limit("maximum", [&](double b) { return value > b; }) ||
                     limit("exclusiveMinimum", [&](double b) { return value <= b; }) ||
                     limit("exclusiveMaximum", [&](double b) { return value >= b; });
    return bad ? at + ": out of range" : "";
  }

  [[nodiscard]] std::string check_array(const Json& schema, const Json& value,
                                        const std::string& at) const {
    if (schema.contains("minItems") && value.size() < schema["minItems"].get<std::size_t>())
      return at + ": too short";
    for (std::size_t i = 0; schema.contains("items") && i < value.size(); ++i) {
      const std::string problem = check(schema["items"], value[i], at + "/" + std::to_string(i));
      if (!problem.empty()) return problem;
    }
    return "";
  }

  [[nodiscard]] std::string check_object(const Json& schema, const Json& value,
                                         const std::string& at) const {
    if (schema.contains("minProperties") &&
        value.size() < schema["minProperties"].get<std::size_t>())
      return at + ": empty";
    for (const Json& key : schema.value("required", Json::array())) {
      if (!value.contains(key.get<std::string>())) return at + ": lacks " + key.dump();
    }
    const Json known = schema.value("properties", Json::object());
    for (const auto& [key, item] : value.items()) {
      std::string problem;
      if (schema.contains("propertyNames"))
        problem = check(schema["propertyNames"], key, at + " name " + key);
      if (problem.empty() && known.contains(key)) problem = check(known[key], item, at + "/" + key);
      if (problem.empty() && !known.contains(key) && schema.contains("additionalProperties")) {
        const Json& other = schema["additionalProperties"];
        if (other == false) return at + ": unknown key " + key;
        problem = check(other, item, at + "/" + key);
      }
      if (!problem.empty()) return problem;
    }
    return "";
  }

  const Json& root_;
};

}  // namespace

std::string schema_violation(const Json& schema, const Json& value) {
  return Validator(schema).check(schema, value, "");
}

Json json_of_node(const study::Node& node) {
  switch (node.kind) {
    case study::Node::Kind::null:
      return nullptr;
    case study::Node::Kind::list: {
      Json list = Json::array();
      for (const auto& item : node.items) list.push_back(json_of_node(item));
      return list;
    }
    case study::Node::Kind::map: {
      Json map = Json::object();
      for (const auto& entry : node.entries) map[entry.key] = json_of_node(entry.value);
      return map;
    }
    case study::Node::Kind::scalar:
      break;
  }
  if (node.quoted) return node.text;
  return std::visit([](const auto& value) -> Json { return Json(value); }, parse_value(node.text));
}

}  // namespace hpo
