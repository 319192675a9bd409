#pragma once
// The page of a study in the user's browser.

#include <string>

#include "base/file.h"

namespace cli {

/// Writes the page of the study in `folder` anew and opens it, in a process of its own, so that
/// whoever calls goes on at once. Returns a line for people.
[[nodiscard]] std::string open_page(const base::Path& folder);

}  // namespace cli
