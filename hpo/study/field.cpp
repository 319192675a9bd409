#include "hpo/study/field.h"

#include <algorithm>

#include "base/enum_names.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/space/value.h"
#include "hpo/study/scalars.h"

namespace hpo::study {

namespace {

constexpr base::EnumNames<Type> kTypeNames{{{Type::boolean, "bool"},
                                            {Type::integer, "int"},
                                            {Type::number, "number"},
                                            {Type::word, "word"},
                                            {Type::text, "string"},
                                            {Type::duration, "duration"},
                                            {Type::size, "size"},
                                            {Type::percent, "percent"},
                                            {Type::value, "value"},
                                            {Type::conditions, "conditions"},
                                            {Type::block, "block"},
                                            {Type::blocks, "blocks"},
                                            {Type::kind, "kind"},
                                            {Type::timetable, "timetable"},
                                            {Type::numbers, "numbers"},
                                            {Type::combination, "map"},
                                            {Type::alternatives, "map from words to parameters"},
                                            {Type::bounds, "bounds"}}};

bool is_numeric(Type type) {
  return type == Type::integer || type == Type::number || type == Type::duration ||
         type == Type::size || type == Type::percent || type == Type::numbers;
}

std::string bound(const Field& field, double value) {
  if (field.type == Type::duration) return base::cat(base::format_double(value), " s");
  if (field.type == Type::percent) return base::cat(base::format_double(value), "%");
  if (field.type == Type::size) return size_text(static_cast<std::uint64_t>(value));
  return base::format_double(value);
}

/// "from 1 to 8", "above 0", "of at least 1 and below 2"...: what follows the type.
std::string range_words(const Field& field) {
  const bool ends = field.min && field.max && !field.min_excluded && !field.max_excluded;
  if (ends) return base::cat(" from ", bound(field, *field.min), " to ", bound(field, *field.max));
  std::string text;
  if (field.min)
    text += base::cat(field.min_excluded ? " above " : " of at least ", bound(field, *field.min));
  if (field.max) {
    text += base::cat(text.empty() ? "" : " and", field.max_excluded ? " below " : " of at most ",
                      bound(field, *field.max));
  }
  return text;
}

/// What one text of the field is.
std::string text_is(const Field& field) {
  if (!field.text_is.empty()) return field.text_is;
  return field.place ? "a path" : "a string";
}

/// The plural of "a path".
std::string several(std::string_view one) {
  if (one.starts_with("a ")) one.remove_prefix(2);
  return base::cat(one, "s");
}

std::string kinds_text(const KindSet& set) {
  const auto names = set.names();
  return base::cat(set.what, " (", base::either(names), ")");
}

std::string keys_text(const Field& block) {
  std::string text;
  std::string_view comma = "(keys: ";
  for (const Field& field : block.fields) {
    text += base::cat(comma, field.name);
    comma = ", ";
  }
  return text + ")";
}

/// What one value of the field must be.
std::string expected_one(const Field& field) {
  const std::string words = field.words.empty() ? "" : " or " + base::either(field.words);
  switch (field.type) {
    case Type::boolean:
      return "true or false";
    case Type::integer:
      return "an int" + range_words(field) + words;
    case Type::number:
      return "a number" + range_words(field) + words;
    case Type::word:
      return base::either(field.words);
    case Type::text:
      return text_is(field);
    case Type::duration:
      return "a duration such as 90s, 10m or 1h30m" + range_words(field) + words;
    case Type::size:
      return "a size such as 512MB or 2GB" + range_words(field) + words;
    case Type::percent:
      return "a share such as 3.5%" + range_words(field);
    case Type::value:
      return "a bool, an int, a float or a string";
    case Type::conditions:
      return "a map such as {optimizer: sgd}";
    case Type::block:
      return "a map " + keys_text(field);
    case Type::blocks:
      return "a map of names, each with a map " + keys_text(field);
    case Type::kind:
      return "one " + kinds_text(*field.kinds());
    case Type::timetable:
      return base::cat("a map from epochs to ", field.kinds()->what,
                       "s such as {3: {widen: {layer: fc1, by: 32}}}");
    case Type::numbers:
      return "a map from names to numbers" + range_words(field) + words;
    case Type::combination:
      return "a map such as {optimizer: sgd, lr: {above: 0.1}}";
    case Type::alternatives:
      return "a map from alternatives to their parameters such as {a: {x: {min: 0, max: 1}}, b: }";
    case Type::bounds:
      return "a map from metrics to what they may be at most, such as {weights: 200000} or "
             "{valid.loss: {min: 0, max: 1}}";
  }
  return "";
}

std::string many(const Field& field) {
  switch (field.type) {
    case Type::text:
      return several(text_is(field));
    case Type::value:
      return "values";
    case Type::kind:
      return base::cat(field.kinds()->what, "s");
    case Type::block:
      return "such maps";
    case Type::conditions:
      return "maps such as {lr: 0.01, units: 64}";
    case Type::combination:
      return "maps such as {optimizer: sgd, lr: {above: 0.1}}";
    case Type::word:
      return base::cat("words (", base::either(field.words), ")");
    default:
      return base::cat("values, each ", expected_one(field));
  }
}

}  // namespace

const Field* Field::find(std::string_view key) const {
  const auto at =
      std::ranges::find_if(fields, [&](const Field& field) { return field.name == key; });
  return at != fields.end() ? &*at : nullptr;
}

const Kind* KindSet::find(std::string_view name) const {
  const auto at = std::ranges::find_if(kinds, [&](const Kind& kind) { return kind.name == name; });
  return at != kinds.end() ? &*at : nullptr;
}

std::vector<std::string> KindSet::names() const {
  std::vector<std::string> result;
  for (const Kind& kind : kinds) result.push_back(kind.name);
  return result;
}

std::string expected(const Field& field) {
  switch (field.count) {
    case Count::one:
      return expected_one(field);
    case Count::list:
      return "a list of " + many(field);
    case Count::one_or_list:
      return base::cat(expected_one(field), " or a list of ", many(field));
    case Count::one_or_piecewise:
      return base::cat(expected_one(field), " or a list of [epoch, value] pairs");
  }
  return "";
}

std::string type_text(const Field& field) {
  std::string name(kTypeNames[field.type]);
  if (field.type == Type::kind) name = field.kinds()->what;
  if (field.type == Type::text && text_is(field).find("path") != std::string::npos) name = "path";
  if (field.type == Type::numbers) name = "word, map from names to numbers";
  if (field.type == Type::bounds) name = "map from metrics to numbers or {min, max}";
  if (field.count == Count::list && field.type == Type::conditions)
    return "list of maps from parameters to values";
  if (field.type == Type::combination) return "list of maps";
  if (field.count == Count::list) return "list of " + name + "s";
  if (field.count == Count::one_or_piecewise)
    return base::cat(name, ", list of [epoch, ", name, "]");
  if (field.count == Count::one_or_list) return base::cat(name, ", list of ", name, "s");
  return name;
}

bool is_row(std::string_view path) {
  return std::ranges::find(field_table(), path, &Field::name) != field_table().end();
}

bool applies_to(const Field& field, std::string_view source) {
  return field.only.empty() || names(field.only, source);
}

bool names(std::string_view sources, std::string_view source) {
  std::string_view rest = sources;
  for (;;) {
    const std::size_t comma = rest.find(", ");
    if (rest.substr(0, comma) == source) return true;
    if (comma == std::string_view::npos) return false;
    rest.remove_prefix(comma + 2);
  }
}

std::string range_text(const Field& field) {
  if (field.type == Type::bounds) return "";
  if (field.type == Type::word || !is_numeric(field.type)) return base::either(field.words);
  std::string text = range_words(field);
  if (!text.empty()) text.erase(0, 1);
  if (!field.words.empty())
    text += base::cat(text.empty() ? "" : ", or ", base::either(field.words));
  return text;
}

std::optional<Kind> opened(const Kind& kind, const Node& block, bool literal) {
  if (kind.more == nullptr) return std::nullopt;
  Kind out = kind;
  std::ranges::move(kind.more(block, literal), std::back_inserter(out.block.fields));
  return out;
}

}  // namespace hpo::study
