// Agents that a driver starts: processes here, and over ssh on other machines.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"

namespace rt::net {

/// A variable of a program that has set OPENBLAS_CORETYPE itself, for its own processor alone.
inline constexpr const char* kOwnCoretype = "TRELLIS_OWN_CORETYPE";

/// Whether a host of that name is this machine, where a process is started without ssh.
[[nodiscard]] bool is_here(const std::string& host);

/// The names of a list with commas between them. Throws base::Error (usage) that names `option` for
/// anything else.
[[nodiscard]] std::vector<std::string> hosts_of(const std::string& list, const std::string& option);

/// This machine's address on the first network that it has besides its own; 127.0.0.1 where it has
/// none.
[[nodiscard]] std::string address_outside();

/// Its address on the way to the first host that is another machine and whose name has an address;
/// where none has, address_outside(); 127.0.0.1 where none is another machine.
[[nodiscard]] std::string address_towards(const std::vector<std::string>& hosts);

/// An agent of a list of hosts: what it is called, and which part of its machine it gets where that
/// is this one.
struct HostAgent {
  std::string host;
  std::string node;  ///< "a", and "a-2" where the list names it again
  int part = 1;      ///< of the cores, from 1
  int parts = 1;
};
[[nodiscard]] std::vector<HostAgent> agents_on(const std::vector<std::string>& hosts);

/// A process to start on a host.
struct HostStart {
  std::string host;
  std::string node;                ///< what its agent is called
  std::vector<std::string> words;  ///< the first is the program, by its whole path
  std::string input;               ///< what it reads from its standard input
  base::Path log;                  ///< where its output goes; empty: where this process's errors go
};

/// Not thread-safe.
class HostProcesses {
 public:
  HostProcesses() = default;
  /// Those that are left have a moment to end, then they are ended.
  ~HostProcesses();
  HostProcesses(const HostProcesses&) = delete;
  HostProcesses& operator=(const HostProcesses&) = delete;

  /// Throws base::Error: usage where there is no ssh for another machine, storage for a log that
  /// cannot be made, study for a program that cannot be started.
  void start(const HostStart& what);
  /// One that the driver takes for lost is not waited for at the end.
  void lost(const std::string& node);
  /// Kills one (SIGKILL).
  void end(const std::string& node) noexcept;

  /// Whether it has started an agent of that name.
  [[nodiscard]] bool has(const std::string& node) const;

  /// Processes that have not ended, as far as look() has seen.
  [[nodiscard]] std::size_t alive() const noexcept;

  /// A process that has ended otherwise than it should.
  struct Ended {
    std::string node;
    std::string how;  ///< "with status 3"
    base::Path log;
  };
  /// Those since the last time.
  [[nodiscard]] std::vector<Ended> look();

 private:
  struct Process {
    std::string node;
    pid_t id = -1;
    base::Path log;
    bool lost = false;
  };
  std::vector<Process> processes_;
};

}  // namespace rt::net
