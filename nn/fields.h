#pragma once
// The values of the fields of layers, losses, optimizers...: checked against what their kind
// accepts (base/kind.h), completed with its defaults, and read. Nothing here knows about files.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/kind.h"

namespace nn {

using base::FieldInfo;
using base::FieldType;
using base::FieldValue;
using base::KindInfo;
using base::NumberByName;

/// Values by field name; after `complete` every field of the kind is present.
using Fields = std::map<std::string, FieldValue>;

/// A chosen kind with its fields, e.g. {"adam", {{"lr", 0.001}, ...}}. Encodable.
struct Choice {
  std::string kind;
  Fields fields;
  auto operator<=>(const Choice&) const = default;
};

/// Why `value` is not allowed for `info`, as the end of a sentence ("must be ..., not ..."), or
/// empty when it is.
[[nodiscard]] std::string field_problem(const FieldInfo& info, const FieldValue& value);

/// Checks `fields` against `info`, turns integers into reals where the field is real, and fills in
/// defaults. Throws SpecError(layer, field, "<where>: ...") for unknown, missing and out-of-range
/// fields; an unknown name comes with the nearest known one.
[[nodiscard]] Fields complete(const KindInfo& info, const Fields& fields, std::string_view where,
                              int layer = -1);

/// Typed access to completed fields; the field must exist with that type.
[[nodiscard]] std::int64_t integer(const Fields& fields, std::string_view name);
[[nodiscard]] double real(const Fields& fields, std::string_view name);
[[nodiscard]] const std::string& word(const Fields& fields, std::string_view name);
[[nodiscard]] bool boolean(const Fields& fields, std::string_view name);

/// The value as it stands in a message: `0.5`, `3`, `true`, `relu`.
[[nodiscard]] std::string to_text(const FieldValue& value);

}  // namespace nn
