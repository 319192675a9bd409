#pragma once
// One driver a study: a lock that dies with its process, and a row that says who holds it.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/file.h"

namespace hpo {

/// A process on a machine, recognisable after restarts of either.
struct Holder {
  std::string host;
  std::string boot;  ///< the kernel's boot id
  std::int64_t pid = 0;
  std::int64_t started = 0;  ///< of the process, in ticks since boot: a pid can be used again
  std::string since;         ///< wall clock, for display only
  std::string address = {};  ///< where others reach it, for who shares no lock with it; or empty

  [[nodiscard]] static Holder self();

  /// Five lines of text, without the address, and back; nothing for a text that is cut short.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<Holder> from_text(std::string_view text);

  /// Whether that process lives: not one that has ended and that nobody has waited for. Nothing
  /// when it is on another machine, where nobody here can tell.
  [[nodiscard]] std::optional<bool> alive() const;
};

/// What a lock keeps others from: driving a study, or training one network into its folder.
inline constexpr std::string_view kDriverLock = "study.lock";
inline constexpr std::string_view kTrainLock = "train.lock";

/// A lock on a file in `folder` for as long as this object and its process live (an open file
/// description lock: other handles of the same process do not disturb it, and it also works over
/// NFS). Never blocks.
class StudyLock {
 public:
  enum class State : std::uint8_t {
    free,
    held,
    unknown
  };  ///< unknown: this file system has no locks

  /// When this process is named in the lock's file, for the message that others get.
  enum class Signing : std::uint8_t { at_once, later };

  /// Takes the lock. `state()` tells whether that worked. Throws base::Error (storage) when the
  /// file cannot be made.
  explicit StudyLock(const base::Path& folder, std::string_view file = kDriverLock,
                     Signing signing = Signing::at_once);

  /// Names this process in the lock's file. A disk without room for that is no matter.
  void sign() const;

  /// `free`: it is ours now; `held`: another process has it.
  [[nodiscard]] State state() const { return state_; }

  /// Who wrote itself into the lock file last.
  [[nodiscard]] static std::optional<Holder> holder(const base::Path& folder,
                                                    std::string_view file = kDriverLock);

  /// Looks without touching anything, also in a read-only folder. A missing file is a free lock.
  [[nodiscard]] static State look(const base::Path& folder);

  /// The error (locked) for whoever finds the lock held: names the holder and the ways out.
  [[nodiscard]] static base::Error refusal(const base::Path& folder,
                                           std::string_view file = kDriverLock);

 private:
  base::File file_;
  State state_ = State::unknown;
};

/// The words of that error. `by`: "process 7 on host"; `since` may be empty.
[[nodiscard]] base::Error locked_error(const base::Path& folder, std::string_view by,
                                       std::string_view since);
/// "process 7 on host".
[[nodiscard]] std::string process_words(const Holder& holder);

}  // namespace hpo
