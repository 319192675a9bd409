#pragma once
// What the table of fields says, for editors and for people. Pure functions of the program.

#include <string>

namespace hpo {

/// JSON Schema (draft-07) of the study file, for editors that complete and check YAML while one
/// types.
[[nodiscard]] std::string study_schema_json();

/// The reference page docs/study-file.md.
[[nodiscard]] std::string study_reference_markdown();

}  // namespace hpo
