#pragma once
// The `from` section: a trained network that goes on.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hpo/study/node.h"
#include "hpo/study/spec.h"

namespace hpo {

struct From {
  /// `automatic`: the optimizer's state goes on where the model has that of the trial's kind.
  enum class Optimizer : std::uint8_t { automatic, keep, anew };

  std::string model;   ///< absolute path
  std::string replay;  ///< absolute path of old rows; empty: none
  Optimizer optimizer = Optimizer::automatic;
};

/// Nothing: networks begin anew.
[[nodiscard]] std::optional<From> from_of(const StudySpec& study);

/// Throws base::Error (study) at the place of a key of `from`: `from.model is "...", ` and what
/// `problem` says.
[[noreturn]] void refuse_from(const StudySpec& study, std::string_view key,
                              const std::string& problem);

namespace study {

/// `from: FILE` as `from: {model: FILE}`.
void write_out_from(Node& root);

/// Puts absolute paths in place of what the file says, that of the model from the study file's
/// folder, that of the replay found as data is. Throws a Fault where the replay is not there.
void locate_from(Node& root, const std::string& folder);

}  // namespace study

}  // namespace hpo
