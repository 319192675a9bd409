#pragma once
// What a sweep tells the agents that it starts, on their standard input: nobody else can read that.

#include <string>

#include "base/file.h"
#include "runtime/net/transport.h"

namespace hpo {

/// Enough to join a study whose folder this machine does not see. Encodable.
struct AgentOrders {
  rt::net::Identity identity;
  std::string address;  ///< of the driver, host:port
  std::string study;    ///< study.yaml
};

/// Reads them from standard input. Throws base::Error (data).
[[nodiscard]] AgentOrders read_orders();

/// Whether the study's folder is the one that the driver has, and not another one at that path.
[[nodiscard]] bool sees_folder(const base::Path& folder, const AgentOrders& orders);

}  // namespace hpo
