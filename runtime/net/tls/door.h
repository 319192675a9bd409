// Where the members of a gang find each other: the member with the higher number calls, the other
// one answers, and both say gang, epoch and numbers before anything else.
#pragma once

#include <memory>
#include <string>

#include "runtime/net/transport.h"

namespace rt::net::tls {

/// See Network::open_door.
[[nodiscard]] std::unique_ptr<MemberDoor> open_door(const Identity& own, const std::string& at);

}  // namespace rt::net::tls
