#pragma once
// A member of a gang whose first process is on another host (far_members.h).

#include <cstdint>
#include <string>

#include "runtime/net/transport.h"
#include "tasks/members/wire.h"

namespace tasks {

/// What a member on another host is told when it starts. Encodable.
struct FarOrders {
  rt::net::Identity identity;
  std::string address;      ///< of the first process, host:port
  std::uint64_t token = 0;  ///< of its seat; 0: any that is free
  std::string node;         ///< what it is called
  rt::net::Listener first =
      rt::net::Listener::driver;  ///< what the first process's certificate says
  /// This machine's address, where other members reach this one; empty: the one on the way to the
  /// first process.
  std::string at{};
};

/// What such a member does until the first process ends or needs it no more. Throws base::Error:
/// cancelled if the first process is not there, no_device if it turns this member away, data or
/// storage if this member cannot take what it sends.
void be_far_member(rt::net::Network& network, const FarOrders& orders, const Sameness& same);

}  // namespace tasks
