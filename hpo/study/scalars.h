#pragma once
// Single values of the study file: from text to type and back to one canonical text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hpo/space/value.h"
#include "hpo/study/field.h"
#include "hpo/study/node.h"

namespace hpo::study {

/// "limits.trials is \"x\", expected an int of at least 1; did you mean ...?", thrown at the node's
/// place.
[[noreturn]] void fail_unexpected(const Node& node, const std::string& where, const Field& field);

/// A scalar in the canonical text of the field's type ("010" becomes 10 for an int, "90m" becomes
/// 1h30m). Throws a StudyError when the node is no such value or lies outside the field's range.
/// `where` names the field in messages; for words it is also the context of suggestions. `$` has no
/// meaning here.
[[nodiscard]] Node check_scalar(const Node& node, const Field& field, const std::string& where);

/// The value of a scalar that check_scalar made or would accept.
[[nodiscard]] std::int64_t as_integer(const Node& node);
[[nodiscard]] double as_number(const Node& node);
[[nodiscard]] double as_seconds(const Node& node);
[[nodiscard]] std::uint64_t as_bytes(const Node& node);
[[nodiscard]] double as_share(const Node& node);  ///< 0.035 for 3.5%

/// Any scalar as a parameter's value; none for null, lists and maps, and numbers that do not fit.
[[nodiscard]] std::optional<ParamValue> as_value(const Node& node);

/// A node that reads back as `value`.
[[nodiscard]] Node node_of(const ParamValue& value, Position at);

/// Seconds of "1h30m", bytes of "2GB"; none for anything else.
[[nodiscard]] std::optional<double> read_duration(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> read_size(std::string_view text);

/// The number before the sign of "3.5%"; none for anything else.
[[nodiscard]] std::optional<double> read_percent(std::string_view text);

/// The canonical texts: read_duration(duration_text(s)) == s to the millisecond,
/// read_size(size_text(b)) == b; share_text(0.035) is 3.5%.
[[nodiscard]] std::string duration_text(double seconds);
[[nodiscard]] std::string size_text(std::uint64_t bytes);
[[nodiscard]] std::string share_text(double share);

}  // namespace hpo::study
