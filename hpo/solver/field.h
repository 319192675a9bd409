#pragma once
// What a message of the protocol has under a name.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"

namespace hpo {

/// (usage) A field is missing or has the wrong type.
class FieldError : public base::Error {
 public:
  explicit FieldError(const std::string& what) : base::Error(base::Errc::usage, what) {}
};

/// A member of an object; the object outlives this. A getter throws FieldError, naming the field
/// and its value, if the type does not fit.
class Field {
 public:
  /// Throws where `object` has no such member.
  Field(const base::Json& object, std::string_view name);

  [[nodiscard]] const base::Json& json() const { return json_; }
  [[nodiscard]] std::string text() const;
  [[nodiscard]] double number() const;
  [[nodiscard]] std::int64_t integer() const;
  /// A whole number from 0 on, which may be larger than a signed one.
  [[nodiscard]] std::uint64_t id() const;
  [[nodiscard]] const std::vector<std::pair<std::string, base::Json>>& list() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] std::vector<std::int64_t> integers() const;
  [[nodiscard]] std::vector<double> numbers() const;

 private:
  /// What `read` makes of each element, which may be nothing.
  template <class T>
  [[nodiscard]] std::vector<T> all(std::optional<T> (base::Json::*read)() const,
                                   std::string_view expected) const;
  [[noreturn]] void refuse(std::string_view expected) const;

  const base::Json& json_;
  std::string name_;
};

}  // namespace hpo
