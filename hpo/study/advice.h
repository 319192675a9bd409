#pragma once
// What a good study file may not mean as its author meant it.

#include <string>
#include <vector>

namespace hpo {

/// Returns a line for people, with its place in `file`, for each word of `text`, a study file that
/// loads, that YAML 1.1 would read otherwise, for a range from 0 to 1 that has two ints, and for a
/// word of the command that only a shell would understand.
[[nodiscard]] std::vector<std::string> advice_on(const std::string& text, const std::string& file);

}  // namespace hpo
