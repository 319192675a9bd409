#pragma once
// The study that the self-test runs, and the ways in which it is run: to its end, and killed.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "hpo/space/trial_state.h"

namespace cli {

/// The failure of a check.
[[nodiscard]] base::Error failed_check(const std::string& what);

/// Starts this program, always in a folder of its own. One thread uses it.
class TestStudy {
 public:
  static constexpr std::int64_t kTrials = 48;
  using Environment = std::map<std::string, std::string>;

  /// An ended trial as the log has it. Its time tells whether it ran again.
  struct Ended {
    hpo::TrialState state{};
    std::optional<double> value;
    int attempts = 0;
    double seconds = 0;
  };
  using EndedTrials = std::map<std::uint64_t, Ended>;

  /// Makes the folder and writes the study and its data. Throws base::Error (storage).
  explicit TestStudy(base::Moment deadline);

  /// Throws a failed check after the deadline.
  void require_time() const;

  /// Runs `words` of this program's command line with `more` in its environment and returns what it
  /// prints. Throws a failed check unless it ends with 0, or with `also`, before the deadline.
  [[nodiscard]] std::string call(const std::vector<std::string>& words,
                                 const Environment& more = {}, int also = 0) const;

  /// Runs the study under `place`, or what is left of it, to its end, and returns its export.
  [[nodiscard]] std::string run(const std::string& place, const std::vector<std::string>& options,
                                const Environment& more = {}) const;

  /// The export of a run on all workers that nothing disturbed. The first call runs it.
  [[nodiscard]] const std::string& undisturbed();

  /// Runs the study under `place`, kills it with SIGKILL once `trials` of its trials have ended and
  /// returns true; false if it came to its end before that. Throws a failed check if it fails.
  [[nodiscard]] bool kill_after(const std::string& place, std::int64_t trials) const;

  /// The ended trials of the study under `place`; none before its log is there.
  [[nodiscard]] EndedTrials ended(const std::string& place) const;

 private:
  [[nodiscard]] std::vector<std::string> sweep(const std::string& place) const;
  [[nodiscard]] std::string exported(const std::string& place) const;

  base::Moment deadline_;
  base::TemporaryFolder folder_;
  std::string program_;
  std::string undisturbed_;
};

}  // namespace cli
