// The driver's end of all links.
#pragma once

#include <memory>
#include <string>

#include "runtime/net/transport.h"

namespace rt::net::grpc_transport {

/// See Network::listen.
[[nodiscard]] std::unique_ptr<Transport> listen(const Identity& own, const std::string& at,
                                                Inbox& inbox);

}  // namespace rt::net::grpc_transport
