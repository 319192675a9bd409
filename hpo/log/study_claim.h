#pragma once
// One driver a study, where a lock does not tell: on folders whose file system has no locks, or
// grants the same one to processes on two machines.
//
// Each driver makes a file `study.claim-N` with a number that is higher than all before, and no two
// processes can make the same file. The file says who the driver is and where it answers. A later
// driver first asks those before it. Only the highest claim counts: who takes a study over removes
// all lower ones before it opens the log, and a driver whose claim is gone writes nothing more.

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "hpo/log/liveness.h"
#include "hpo/log/study_lock.h"

namespace hpo {

/// Not thread-safe.
class StudyClaim {
 public:
  /// Makes this process the driver of the study in `folder`. `lock`: the state of its lock, which
  /// is not `held`. Waits 10 s for an answer where the last driver was on another machine and did
  /// not end in order. Throws base::Error: locked, when another driver lives; storage, when the
  /// file cannot be made.
  StudyClaim(const base::Path& folder, StudyLock::State lock);
  /// Says in the file that this driver has ended.
  ~StudyClaim();
  StudyClaim(const StudyClaim&) = delete;
  StudyClaim& operator=(const StudyClaim&) = delete;

  /// False once another driver has taken the study over.
  [[nodiscard]] bool stands() const;
  /// Who claimed the study last, for a claim that does not stand; nothing where no file tells.
  [[nodiscard]] std::optional<Holder> successor() const;

  /// True when no driver has claimed the study before: none has driven it, or one of a version that
  /// made no claims.
  [[nodiscard]] bool is_first() const { return number_ == 1; }

  /// This driver, with its address.
  [[nodiscard]] const Holder& self() const { return self_; }

  /// Who claimed the study last and has not ended in order; nothing where nobody has.
  [[nodiscard]] static std::optional<Holder> latest(const base::Path& folder);

 private:
  [[nodiscard]] bool make(std::int64_t number) const;
  void settle(std::int64_t number, StudyLock::State lock) const;
  [[nodiscard]] base::Path file(std::int64_t number) const;
  [[nodiscard]] bool is_mine() const;

  base::Path folder_;
  LivenessPort port_;
  Holder self_;
  std::int64_t number_ = 0;
};

/// How long a driver of another machine may be silent before its study is taken over.
inline constexpr base::Duration kDriverPatience = std::chrono::seconds(10);

/// Whether that driver lives, for who finds the lock of the study in the state `lock`, which is not
/// `held`. Asks the driver for at most `patience` where nothing else tells.
[[nodiscard]] bool lives(const Holder& driver, const base::Path& folder, StudyLock::State lock,
                         base::Duration patience);

/// Who drives the study in `folder` by its claims, for who finds its lock in the state `lock`,
/// which is not `held`. Asks once.
[[nodiscard]] std::optional<Holder> claimant(const base::Path& folder, StudyLock::State lock);

/// Whether anybody drives the study in `folder`, by its lock and its claims.
[[nodiscard]] bool is_driven(const base::Path& folder);

}  // namespace hpo
