#pragma once
// What a program writes on an agent that does not see the study's folder, and its copy where the
// driver is: reports and log as they grow, checkpoints now and then.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/file.h"
#include "hpo/driver/programs/growing_file.h"
#include "hpo/driver/programs/trial_files.h"
#include "hpo/driver/programs/trial_folder.h"

namespace hpo {

/// What an agent says of a program while it runs (rt::Context::tell): one of these, and bytes.
enum class ProgramWord : char {
  begun = 'b',       ///< it was started, and found no checkpoint
  resumed = 'r',     ///< it was started, and found those of an earlier attempt
  more = 'm',        ///< there is more to read in its folder
  reports = 'p',     ///< it has reported this besides
  log = 'l',         ///< it has printed this besides
  anew = 'n',        ///< its reports begin anew
  checkpoint = 'c',  ///< a part of its checkpoints
};

/// The agent's side. Not thread-safe.
class TrialSender {
 public:
  using Tell = std::function<void(std::string text)>;

  /// `folder` outlives this.
  TrialSender(const TrialFolder& folder, Tell tell);

  /// Tells what reports and log have more.
  void report();
  /// Goes on with a copy of the checkpoints, or begins one where they have changed; what it takes
  /// of the network, and how often, is bounded. Returns when it wants to be called again.
  [[nodiscard]] base::Duration step(base::Moment now);
  /// Tells all that is left, and the checkpoints as they are now, unless `enough` says that there
  /// is no time left. The program has ended.
  void finish(const std::function<bool()>& enough);

 private:
  /// A file of a checkpoint, open: it stays what it was where another one gets its name.
  struct Part {
    std::string path;
    base::File file;
    std::uint32_t mode;
    std::uint64_t size;
    std::int64_t changed;
    std::uint64_t inode;
  };

  [[nodiscard]] std::vector<Part> open_parts() const;
  void begin(base::Moment now);
  void go_on(base::Moment now);
  void tell(ProgramWord word, std::string_view bytes) const;

  const TrialFolder& folder_;
  Tell tell_;
  GrowingFile reports_, log_;
  std::vector<Part> parts_;  ///< of the copy under way; empty: there is none
  std::size_t part_ = 0;
  std::uint64_t offset_ = 0;
  std::uint64_t copies_ = 0;
  std::uint64_t sent_ = 0;  ///< what the last copy was of; 0: there was none
  base::Moment begun_{}, due_{};
};

/// The driver's side. Not thread-safe.
class TrialReceiver {
 public:
  explicit TrialReceiver(const TrialFolder& folder) : folder_(folder) {}

  /// Takes what was told, if it is for the copy. True once checkpoints have been replaced. Throws
  /// base::Error: storage, data.
  bool take(ProgramWord word, std::string_view bytes);

 private:
  const TrialFolder& folder_;
  std::uint64_t copy_ = 0;
  std::optional<CheckpointWriter> checkpoints_;
};

}  // namespace hpo
