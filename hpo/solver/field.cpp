#include "hpo/solver/field.h"

#include <optional>

#include "base/text.h"

namespace hpo {

namespace {

const base::Json& member(const base::Json& object, std::string_view name) {
  if (const base::Json* found = object.find(name)) return *found;
  throw FieldError(base::cat("the field \"", name, "\" is missing"));
}

}  // namespace

Field::Field(const base::Json& object, std::string_view name)
    : json_(member(object, name)), name_(name) {}

void Field::refuse(std::string_view expected) const {
  throw FieldError(base::cat("the field \"", name_, "\" is ", base::printable(json_.raw(), 60),
                             ", expected ", expected));
}

std::string Field::text() const {
  std::optional<std::string> text = json_.as_text();
  if (!text) refuse("a string");
  return std::move(*text);
}

double Field::number() const {
  const std::optional<double> number = json_.as_number();
  if (!number) refuse("a number");
  return *number;
}

std::int64_t Field::integer() const {
  const std::optional<std::int64_t> number = json_.as_integer();
  if (!number) refuse("a whole number");
  return *number;
}

std::uint64_t Field::id() const {
  const std::optional<std::uint64_t> number = json_.as_unsigned();
  if (!number) refuse("a whole number from 0 on");
  return *number;
}

const std::vector<std::pair<std::string, base::Json>>& Field::list() const {
  if (!json_.is_list()) refuse("a list");
  return json_.members();
}

template <class T>
std::vector<T> Field::all(std::optional<T> (base::Json::*read)() const,
                          std::string_view expected) const {
  std::vector<T> values;
  for (const auto& [unnamed, one] : list()) {
    std::optional<T> value = (one.*read)();
    if (!value) refuse(expected);
    values.push_back(std::move(*value));
  }
  return values;
}

std::vector<std::string> Field::texts() const {
  return all(&base::Json::as_text, "a list of strings");
}

std::vector<std::int64_t> Field::integers() const {
  return all(&base::Json::as_integer, "a list of whole numbers");
}

std::vector<double> Field::numbers() const {
  return all(&base::Json::as_number, "a list of numbers");
}

}  // namespace hpo
