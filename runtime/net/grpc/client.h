// An agent's end of a link.
#pragma once

#include <memory>

#include "runtime/net/transport.h"

namespace rt::net::grpc_transport {

/// See Network::connect.
[[nodiscard]] std::unique_ptr<Transport> connect(const Identity& own, Listener other, Inbox& inbox);

}  // namespace rt::net::grpc_transport
