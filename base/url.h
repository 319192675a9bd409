#pragma once

#include <string>
#include <string_view>

namespace base {

/// Returns the text as one part of a URL: letters, digits and "-._~" stay, other bytes become "%XX"
/// (RFC 3986, section 2).
[[nodiscard]] std::string url_encoded(std::string_view text);

}  // namespace base
