#pragma once
// The agents that a driver starts itself: processes here, and over ssh on other machines.

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "hpo/driver/sweep.h"

namespace hpo {

/// Starts one agent for each host of RunOptions::hosts. They end when the driver says bye; those
/// that are left are ended with this object.
class HostAgents {
 public:
  HostAgents(const RunOptions& options, Observer& observer);
  ~HostAgents();
  HostAgents(const HostAgents&) = delete;
  HostAgents& operator=(const HostAgents&) = delete;

  /// Throws base::Error (study) for what cannot be started at all.
  void start();
  /// One that the driver takes for lost is not waited for at the end.
  void lost(const std::string& node);
  /// Says which have ended, and where that is explained.
  void look();

 private:
  struct Agent {
    std::string node;
    pid_t process = -1;
    base::Path log;
    bool lost = false;
  };

  const RunOptions& options_;
  Observer& observer_;
  std::vector<Agent> agents_;
};

/// Whether a host of that name is this machine, where an agent is started without ssh.
[[nodiscard]] bool is_here(const std::string& host);

}  // namespace hpo
