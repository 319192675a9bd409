#pragma once
// What is checked of a study file before it is parsed.

#include <string_view>

namespace hpo::study {

/// Throws a StudyError when `text` is larger than kMostBytes, not UTF-8, holds control characters,
/// or uses tabs as indentation. A byte order mark of UTF-8 is fine.
void check_text(std::string_view text);

}  // namespace hpo::study
