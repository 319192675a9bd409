#include "hpo/driver/nodes/agent_orders.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>

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

AgentRoom::AgentRoom() {
  const char* const of_job = std::getenv("SLURM_TMPDIR");
  const base::Path in =
      of_job != nullptr ? base::Path(of_job) : std::filesystem::temp_directory_path();
  std::string name = (in / "trellis-agent-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw base::storage_error("make a folder", name, errno);
  path_ = name;
}

AgentRoom::~AgentRoom() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace hpo
