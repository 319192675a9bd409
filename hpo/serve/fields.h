#pragma once
// Header fields of every answer.

#include <array>
#include <string_view>
#include <utility>

namespace hpo::serve {

/// A page may load its own script, style and data from this server and nothing from anywhere else;
/// no other page may show it, read it or learn where the reader came from.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> common_fields() {
  return {{{"Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src "
            "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
           {"X-Content-Type-Options", "nosniff"},
           {"X-Frame-Options", "DENY"},
           {"Referrer-Policy", "no-referrer"},
           {"Cross-Origin-Resource-Policy", "same-origin"},
           {"Cache-Control", "no-store"}}};
}

}  // namespace hpo::serve
