#pragma once
// What a sweep tells the agents that it starts, on their standard input: nobody else can read that.

#include <cstdint>
#include <string>

#include "base/file.h"
#include "runtime/net/transport.h"

namespace hpo {

/// Enough to join a study whose folder this machine does not see. Encodable.
struct AgentOrders {
  rt::net::Identity identity;
  std::string address;      ///< of the driver, host:port
  std::string study;        ///< study.yaml
  std::int64_t beside = 0;  ///< the driver's epoch, for an agent of its machine: as long as that
                            ///< driver is there, it is reached at `address`; 0: on another machine
};

/// Reads them from standard input. Throws base::Error (data).
[[nodiscard]] AgentOrders read_orders();

/// Whether the study's folder is the one that the driver has, and not another one at that path.
[[nodiscard]] bool sees_folder(const base::Path& folder, const AgentOrders& orders);

}  // namespace hpo
