// Keys and certificates of a study: EC P-256, signed by an authority of its own.
#pragma once

#include "runtime/net/transport.h"

namespace rt::net::tls {

/// The name in a driver's certificate, which agents expect of whoever they call.
inline constexpr const char* kDriverName = "trellis-driver";

/// See Network::make_authority.
[[nodiscard]] Authority make_authority();
/// See Network::issue.
[[nodiscard]] Identity issue(const Authority& authority, bool driver);
/// See Network::fault_of.
[[nodiscard]] std::string fault_of(const Identity& identity);

}  // namespace rt::net::tls
