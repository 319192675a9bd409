// Keys and certificates of a study: EC P-256, signed by an authority of its own.
#pragma once

#include <string>

#include "runtime/net/transport.h"

namespace rt::net::tls {

/// Returns the name in a certificate, which whoever opens a link expects of the other side.
[[nodiscard]] std::string name_of(Listener who);

/// See Network::make_authority.
[[nodiscard]] Authority make_authority();
/// See Network::issue.
[[nodiscard]] Identity issue(const Authority& authority, bool driver);
/// See Network::fault_of.
[[nodiscard]] std::string fault_of(const Identity& identity);

}  // namespace rt::net::tls
