#include "hpo/solver/field.h"

#include <charconv>
#include <optional>

#include "base/text.h"

namespace hpo {

namespace {

const Json& member(const Json& object, std::string_view name) {
  if (const Json* found = object.find(name)) return *found;
  throw FieldError(base::cat("the field \"", name, "\" is missing"));
}

std::optional<std::string> text_in(const Json& json) {
  return json.raw().starts_with('"') ? std::optional(json.text()) : std::nullopt;
}

}  // namespace

Field::Field(const Json& object, std::string_view name)
    : json_(member(object, name)), name_(name) {}

void Field::refuse(std::string_view expected) const {
  throw FieldError(base::cat("the field \"", name_, "\" is ", base::printable(json_.raw(), 60),
                             ", expected ", expected));
}

std::string Field::text() const {
  std::optional<std::string> text = text_in(json_);
  if (!text) refuse("a text");
  return std::move(*text);
}

double Field::number() const {
  const std::optional<double> number = base::parse_double(json_.raw());
  if (!number) refuse("a number");
  return *number;
}

std::int64_t Field::integer() const {
  const std::optional<std::int64_t> number = base::parse_int(json_.raw());
  if (!number) refuse("a whole number");
  return *number;
}

std::uint64_t Field::id() const {
  std::uint64_t number = 0;
  const std::string_view text = json_.raw();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) refuse("a whole number from 0 on");
  return number;
}

const std::vector<std::pair<std::string, Json>>& Field::list() const {
  if (!json_.raw().starts_with('[')) refuse("a list");
  return json_.members();
}

template <class T, class Read>
std::vector<T> Field::all(const Read& read, std::string_view expected) const {
  std::vector<T> values;
  for (const auto& [unnamed, one] : list()) {
    std::optional<T> value = read(one);
    if (!value) refuse(expected);
    values.push_back(std::move(*value));
  }
  return values;
}

std::vector<std::string> Field::texts() const {
  return all<std::string>(text_in, "a list of texts");
}

std::vector<std::int64_t> Field::integers() const {
  return all<std::int64_t>([](const Json& json) { return base::parse_int(json.raw()); },
                           "a list of whole numbers");
}

std::vector<double> Field::numbers() const {
  return all<double>([](const Json& json) { return base::parse_double(json.raw()); },
                     "a list of numbers");
}

}  // namespace hpo
