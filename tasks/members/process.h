#pragma once
// A process that has a member's seat.

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/file.h"

namespace tasks {

/// Its destructor ends the process, and does not wait for long.
class MemberProcess {
 public:
  virtual ~MemberProcess() = default;
  /// Kills it (SIGKILL).
  virtual void kill() noexcept = 0;
  /// Ends it and says how it ended: "its process was ended by signal 9".
  [[nodiscard]] virtual std::string end() = 0;
  /// Returns false if another one in its place would fare no better.
  [[nodiscard]] virtual bool may_be_replaced() const { return true; }
};

/// A process that may become a member, and our end of the channel to it.
struct StartedMember {
  std::unique_ptr<MemberProcess> process;  ///< null: a thread, which ends when its channel does
  base::File channel;
};

/// A child of this process.
class ChildMember final : public MemberProcess {
 public:
  explicit ChildMember(pid_t process) noexcept : process_(process) {}
  ~ChildMember() override;
  ChildMember(const ChildMember&) = delete;
  ChildMember& operator=(const ChildMember&) = delete;

  void kill() noexcept override;
  [[nodiscard]] std::string end() override;

 private:
  pid_t process_;  ///< -1: it has ended
};

}  // namespace tasks
