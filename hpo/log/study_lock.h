#pragma once
// One driver a study: a lock that dies with its process, and a row that says who holds it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/file.h"

namespace hpo {

/// A process on a machine, recognisable after restarts of either.
struct Holder {
  std::string host;
  std::string boot;  ///< the kernel's boot id
  std::int64_t pid = 0;
  std::int64_t started = 0;  ///< of the process, in ticks since boot: a pid can be used again
  std::string since;         ///< wall clock, for display only

  [[nodiscard]] static Holder self();

  /// Five lines of text, and back; nothing for a text that is cut short.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Holder> from_text(std::string_view text);

  /// Whether that process lives; nothing when it is on another machine, where nobody here can tell.
  [[nodiscard]] std::optional<bool> alive() const;
};

/// A lock on `folder`/study.lock for as long as this object and its process live (an open file
/// description lock: other handles of the same process do not disturb it, and it also works over
/// NFS). Never blocks.
class StudyLock {
 public:
  enum class State : std::uint8_t {
    free,
    held,
    unknown
  };  ///< unknown: this file system has no locks

  /// Takes the lock. `state()` tells whether that worked. Throws rt::Error (storage) when the file
  /// cannot be made.
  explicit StudyLock(const rt::Path& folder);

  /// `free`: it is ours now; `held`: another process has it.
  [[nodiscard]] State state() const { return state_; }

  /// Who wrote itself into the lock file last.
  [[nodiscard]] static std::optional<Holder> holder(const rt::Path& folder);

  /// Looks without touching anything, also in a read-only folder. A missing file is a free lock.
  [[nodiscard]] static State look(const rt::Path& folder);

 private:
  rt::File file_;
  State state_ = State::unknown;
};

}  // namespace hpo
