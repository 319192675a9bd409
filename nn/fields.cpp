#include "nn/fields.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "nn/error.h"

namespace nn {
namespace {

std::string number_text(double value) {
  char buffer[40];
  if (value == std::trunc(value) && std::abs(value) < 1e15) {
    std::snprintf(buffer, sizeof buffer, "%.0f", value);
    return buffer;
  }
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::stod(buffer) == value) break;
  }
  return buffer;
}

std::string range_text(const FieldInfo& info) {
  const bool low = std::isfinite(info.min), high = std::isfinite(info.max);
  const std::string from =
      (info.min_excluded ? "larger than " : "at least ") + number_text(info.min);
  const std::string to = (info.max_excluded ? "smaller than " : "at most ") + number_text(info.max);
  if (low && high) return " " + from + " and " + to;
  if (low) return " " + from;
  return high ? " " + to : "";
}

std::string expected(const FieldInfo& info) {
  switch (info.type) {
    case FieldType::boolean:
      return "true or false";
    case FieldType::integer:
      return "an integer" + range_text(info);
    case FieldType::real:
      return "a number" + range_text(info);
    case FieldType::word:
      return base::either(info.choices);
    case FieldType::integer_or_word:
      return base::either(info.choices) + ", or an integer" + range_text(info);
    case FieldType::number_by_name:
      break;
  }
  return base::either(info.choices) + ", or a map from names to numbers" + range_text(info);
}

bool in_range(const FieldInfo& info, double value) {
  if (!(value >= info.min && value <= info.max) || !std::isfinite(value)) return false;
  return !(info.min_excluded && value == info.min) && !(info.max_excluded && value == info.max);
}

bool is_choice(const FieldInfo& info, const FieldValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr && std::ranges::find(info.choices, *text) != info.choices.end();
}

bool allowed(const FieldInfo& info, const FieldValue& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* number = std::get_if<double>(&value);
  const bool good_integer = whole != nullptr && in_range(info, static_cast<double>(*whole));
  switch (info.type) {
    case FieldType::boolean:
      return std::holds_alternative<bool>(value);
    case FieldType::integer:
      return good_integer;
    case FieldType::real:
      return good_integer || (number != nullptr && in_range(info, *number));
    case FieldType::word:
      return is_choice(info, value);
    case FieldType::integer_or_word:
      return good_integer || is_choice(info, value);
    case FieldType::number_by_name:
      break;
  }
  const auto* numbers = std::get_if<NumberByName>(&value);
  const auto good = [&](const auto& entry) { return in_range(info, entry.second); };
  return is_choice(info, value) || (numbers != nullptr && std::ranges::all_of(*numbers, good));
}

template <class V>
const V& get(const Fields& fields, std::string_view name) {
  const auto it = fields.find(std::string(name));
  const V* value = it == fields.end() ? nullptr : std::get_if<V>(&it->second);
  if (value != nullptr) return *value;
  const std::string field = "the field " + std::string(name);
  if (it != fields.end())
    throw base::Error(base::Errc::internal, field + " is asked for as another type than it has");
  const std::string known = base::listed(fields, &Fields::value_type::first);
  throw base::Error(base::Errc::internal,
                    field + " is asked for, which is not there; there are: " + known);
}

}  // namespace

std::string to_text(const FieldValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number);
  if (const auto* numbers = std::get_if<NumberByName>(&value)) {
    std::string out;
    for (const auto& [name, weight] : *numbers)
      out += (out.empty() ? "" : ", ") + name + ": " + number_text(weight);
    return "{" + out + "}";
  }
  return std::get<std::string>(value);
}

std::string field_problem(const FieldInfo& info, const FieldValue& value) {
  if (allowed(info, value)) return {};
  const auto* text = std::get_if<std::string>(&value);
  const std::string near = text != nullptr ? base::nearest(*text, info.choices) : "";
  return "must be " + expected(info) + ", not " + to_text(value) +
         (near.empty() ? "" : "; did you mean " + near + "?");
}

Fields complete(const KindInfo& info, const Fields& given, std::string_view where, int layer) {
  Fields fields = given;
  const auto prefix = [&] { return std::string(where) + ": "; };
  for (auto& [name, value] : fields) {
    const FieldInfo* field = info.field(name);
    if (field == nullptr) {
      std::vector<std::string> known;
      for (const auto& f : info.fields) known.push_back(f.name);
      const std::string near = base::nearest(name, known);
      const std::string hint =
          near.empty() ? known.empty() ? "it takes no fields" : "known: " + base::either(known)
                       : "did you mean " + near + "?";
      throw SpecError(layer, name, prefix() + info.kind + " has no field " + name + "; " + hint);
    }
    const std::string problem = field_problem(*field, value);
    if (!problem.empty()) throw SpecError(layer, name, prefix() + name + " " + problem);
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (field->type == FieldType::real && whole != nullptr) value = static_cast<double>(*whole);
  }
  if (fields.size() == info.fields.size()) return fields;
  for (const auto& field : info.fields) {
    if (fields.contains(field.name)) continue;
    if (!field.value)
      throw SpecError(layer, field.name, prefix() + field.name + " is missing: " + expected(field));
    fields[field.name] = *field.value;
  }
  return fields;
}

std::int64_t integer(const Fields& fields, std::string_view name) {
  return get<std::int64_t>(fields, name);
}
double real(const Fields& fields, std::string_view name) { return get<double>(fields, name); }
const std::string& word(const Fields& fields, std::string_view name) {
  return get<std::string>(fields, name);
}
bool boolean(const Fields& fields, std::string_view name) { return get<bool>(fields, name); }

}  // namespace nn
