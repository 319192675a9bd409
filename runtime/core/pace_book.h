// Paces of tasks, kept in a file from run to run.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/file.h"
#include "runtime/core/task_info.h"

namespace rt::inline v0::detail {

/// What runs of a program learned about how long tasks take (Pace), for those after it. It ranks
/// and never decides, so a book that is missing, damaged or of another format is an empty one, and
/// one that cannot be written stays as it is: nothing here throws. Driver thread only.
class PaceBook {
 public:
  /// Reads `file` once. Entries of other machines (or builds: whatever `machine` names) are kept
  /// for them and not used.
  PaceBook(base::Path file, std::string machine) noexcept;

  /// Tells the task what was learned of it before, where it has not learned that itself. Once for
  /// each task.
  void recall(const TaskInfo& info);

  /// Writes what the tasks that were recalled have learned, if that is more than a tenth away from
  /// what is in the file. Of several processes that end at once one may go without.
  void keep() const noexcept;

  /// A task of one version on one kind of device of one machine.
  struct Entry {
    std::string machine, task;
    std::int64_t version = 0;
    std::uint8_t kind = 0;
    std::vector<Pace::Known> paces;
    [[nodiscard]] bool same_task(const Entry& other) const noexcept;
  };
  using Page = std::vector<Entry>;

 private:
  [[nodiscard]] Entry entry_of(const TaskInfo& info, Device kind) const;

  base::Path file_;
  std::string machine_;
  Page page_;
  std::unordered_set<const TaskInfo*> recalled_;
};

}  // namespace rt::inline v0::detail
