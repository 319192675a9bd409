// study_schema_json: the field table as JSON Schema draft-07, the version that YAML editors
// understand.

#include "hpo/space/value.h"
#include "hpo/study/field.h"
#include "hpo/study/field_docs.h"
#include "hpo/study/json_tree.h"
#include "hpo/study/yaml_reader.h"

namespace hpo {

namespace study {

namespace {

using Json = JsonTree;

Json block_schema(const Field& block);

Json any_of(std::vector<Json> schemas) {
  return schemas.size() == 1 ? schemas[0] : Json{{"anyOf", Json::list(std::move(schemas))}};
}

/// A bound as the file would write it: an int where the field is one.
Json json_bound(const Field& field, double value) {
  if (field.type == Type::integer) return static_cast<std::int64_t>(value);
  return value;
}

Json numeric(const Field& field, const char* type) {
  Json schema{{"type", type}};
  if (field.min)
    schema[field.min_excluded ? "exclusiveMinimum" : "minimum"] = json_bound(field, *field.min);
  if (field.max)
    schema[field.max_excluded ? "exclusiveMaximum" : "maximum"] = json_bound(field, *field.max);
  return schema;
}

Json words_schema(const std::vector<std::string>& words) {
  std::vector<Json> values;
  for (const std::string& word : words) {
    if (word == "true" || word == "false") {
      values.emplace_back(word == "true");
    } else {
      values.emplace_back(word);
    }
  }
  return {{"enum", Json::list(std::move(values))}};
}

const Json& scalar_schema() {
  static const Json kSchema{{"type", Json::list({"string", "number", "boolean"})}};
  return kSchema;
}

Json list_of(const Json& item) { return {{"type", "array"}, {"items", item}}; }

/// [[epoch, value], ...]
Json piecewise_schema(const Json& value) {
  Json epoch =
      any_of({{{"type", "integer"}, {"minimum", 0}}, {{"$ref", "#/definitions/reference"}}});
  Json pair{
      {"type", "array"}, {"items", Json::list({epoch, value})}, {"minItems", 2}, {"maxItems", 2}};
  Json list = list_of(pair);
  list["minItems"] = 1;
  return list;
}

Json conditions_schema() {
  Json list = list_of(scalar_schema());
  list["minItems"] = 1;
  return {{"type", "object"},
          {"minProperties", 1},
          {"additionalProperties", any_of({scalar_schema(), list})}};
}

/// A value, some of them, or {above: ..., below: ...}.
Json combination_schema() {
  const Json bound = any_of({{{"type", "number"}}, {{"$ref", "#/definitions/reference"}}});
  Json list = list_of(scalar_schema());
  list["minItems"] = 1;
  const Json range{{"type", "object"},
                   {"minProperties", 1},
                   {"properties", {{"above", bound}, {"below", bound}}},
                   {"additionalProperties", false}};
  return {{"type", "object"},
          {"minProperties", 1},
          {"additionalProperties", any_of({scalar_schema(), list, range})}};
}

Json alternatives_schema() {
  const Json parameters{
      {"type", "object"},
      {"additionalProperties", {{"$ref", "#/properties/parameters/additionalProperties"}}}};
  return {{"type", "object"},
          {"minProperties", 1},
          {"additionalProperties", any_of({parameters, {{"type", "null"}}})}};
}

std::string definition_name(const KindSet& set) {
  std::string name = set.what;
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
}

Json plain_schema(const Field& field) {
  switch (field.type) {
    case Type::boolean:
      return {{"type", "boolean"}};
    case Type::integer:
      return numeric(field, "integer");
    case Type::number:
      return numeric(field, "number");
    case Type::word:
      return field.text_with.empty() ? words_schema(field.words)
                                     : any_of({words_schema(field.words), scalar_schema()});
    case Type::text:
    case Type::value:
      return scalar_schema();
    case Type::duration:
      return {{"type", "string"}, {"pattern", "^([0-9]+(\\.[0-9]*)?(d|h|m|s|ms))+$"}};
    case Type::size:
      return {{"type", "string"},
              {"pattern", "^[0-9]+(\\.[0-9]*)?(B|kB|KiB|MB|MiB|GB|GiB|TB|TiB)$"}};
    case Type::percent:
      return {{"type", "string"}, {"pattern", "^[0-9]+(\\.[0-9]*)?%$"}};
    case Type::conditions:
      return conditions_schema();
    case Type::combination:
      return combination_schema();
    case Type::alternatives:
      return alternatives_schema();
    case Type::block:
      return block_schema(field);
    case Type::blocks:
      return {{"type", "object"},
              {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]{0,63}$"}}},
              {"additionalProperties", block_schema(field)}};
    case Type::kind:
      return {{"$ref", "#/definitions/" + definition_name(*field.kinds())}};
    case Type::numbers:
      return {{"type", "object"},
              {"minProperties", 1},
              {"additionalProperties",
               any_of({numeric(field, "number"), {{"$ref", "#/definitions/reference"}}})}};
    case Type::bounds: {
      const Json number{{"type", "number"}};
      const Json range{{"type", "object"},
                       {"minProperties", 1},
                       {"additionalProperties", false},
                       {"properties", {{"min", number}, {"max", number}}}};
      return {{"type", "object"},
              {"minProperties", 1},
              {"additionalProperties", any_of({number, range})}};
    }
    case Type::timetable: {
      const Json one{{"$ref", "#/definitions/" + definition_name(*field.kinds())}};
      return {{"type", "object"},
              {"minProperties", 1},
              {"propertyNames", {{"pattern", "^[0-9.]+(e[-+]?[0-9]+)?$"}}},
              {"additionalProperties", any_of({one, list_of(one)})}};
    }
  }
  return {};
}

Json field_schema(const Field& field) {
  std::vector<Json> forms;
  Json one = plain_schema(field);
  std::vector<Json> ones{one};
  if (!field.words.empty() && field.type != Type::word) ones.push_back(words_schema(field.words));
  if (field.per_trial && field.type != Type::kind)
    ones.push_back({{"$ref", "#/definitions/reference"}});
  if (field.type == Type::block && field.find("name") != nullptr)
    ones.push_back(plain_schema(*field.find("name")));
  if (field.count != Count::list) forms = ones;
  if (field.count == Count::list || field.count == Count::one_or_list)
    forms.push_back(list_of(any_of(ones)));
  if (field.count == Count::one_or_piecewise) forms.push_back(piecewise_schema(any_of(ones)));
  Json schema = any_of(forms);
  schema["description"] = field.doc;
  return schema;
}

Json block_schema(const Field& block) {
  Json properties = Json::object();
  std::vector<Json> required, choice;
  for (const Field& field : block.fields) {
    properties[field.name] = field_schema(field);
    if (field.required && field.only.empty()) required.emplace_back(field.name);
    if (field.required && !field.only.empty())
      choice.push_back({{"required", Json::list({field.name})}});
  }
  Json schema{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = Json::list(required);
  // A file of trials to ask for (asked.h) has none of them.
  if (choice.size() > 1)
    choice.push_back({{"required", Json::list({"parameters", "metric"})},
                      {"not", {{"anyOf", Json::list(choice)}}}});
  if (!choice.empty()) schema["oneOf"] = Json::list(choice);
  return schema;
}

/// {type: NAME, field: value}; of a kind with more fields than are known here, any others, too, and
/// these say which kind it is.
Json typed_form(const Kind& kind, const std::string& key) {
  Json schema = block_schema(kind.block);
  schema["properties"][key] = {{"const", kind.name}};
  if (kind.more == nullptr)
    schema["required"].push_back(key);
  else
    schema.erase("additionalProperties");
  return schema;
}

/// {NAME: {field: value}}
Json named_form(const Kind& kind) {
  Json block = block_schema(kind.block);
  if (kind.more != nullptr) block.erase("additionalProperties");
  Json fields = any_of({block, {{"type", "null"}}});
  if (const auto& all = kind.block.fields; !all.empty() && all[0].count == Count::list)
    fields = any_of({block_schema(kind.block), field_schema(all[0])});
  return {{"type", "object"},
          {"properties", {{kind.name, fields}}},
          {"required", Json::list({kind.name})},
          {"additionalProperties", false}};
}

Json kinds_schema(const KindSet& set) {
  std::vector<Json> forms{words_schema(set.names()), {{"$ref", "#/definitions/reference"}}};
  if (!set.truth.empty()) forms.push_back({{"type", "boolean"}});
  for (const Kind& kind : set.kinds) {
    forms.push_back(named_form(kind));
    forms.push_back(typed_form(kind, set.key));
  }
  forms.push_back({{"type", "object"},
                   {"properties", {{set.key, {{"$ref", "#/definitions/reference"}}}}},
                   {"required", Json::list({set.key})}});
  return any_of(forms);
}

}  // namespace

}  // namespace study

std::string study_schema_json() {
  using study::Json;
  Json schema{{"$schema", "http://json-schema.org/draft-07/schema#"},
              {"title", "Trellis study file"}};
  const Json block = study::block_schema(study::study_block());
  for (const auto& [name, value] : block.members()) schema[name] = value;
  schema["definitions"]["reference"] = {
      {"type", "string"}, {"pattern", "\\$"}, {"description", "A parameter: $name or ${name}"}};
  for (const study::KindSet* set :
       {study::layer_set(), study::loss_set(), study::optimizer_set(), study::schedule_set(),
        study::sampler_set(), study::stopping_set(), study::policy_set(), study::operation_set()}) {
    schema["definitions"][study::definition_name(*set)] = study::kinds_schema(*set);
  }
  base::JsonWriter json(base::JsonStyle::indented);
  schema.write(json);
  return std::move(json).text() + "\n";
}

}  // namespace hpo
