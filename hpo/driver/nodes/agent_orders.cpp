#include "hpo/driver/nodes/agent_orders.h"

#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/pipe.h"
#include "hpo/driver/nodes/net_folder.h"
#include "runtime/codec.h"

namespace hpo {

AgentOrders read_orders() {
  const std::string input = base::read_all(STDIN_FILENO);
  return rt::decode<AgentOrders>(base::as_bytes(input));
}

bool sees_folder(const base::Path& folder, const AgentOrders& orders) {
  try {
    return NetFolder(folder).certificate() == orders.identity.authority;
  } catch (const base::Error&) {
    return false;
  }
}

}  // namespace hpo
