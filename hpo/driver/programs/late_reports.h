#pragma once
// Whether what a program reports comes while it runs, or all at once when it ends.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"
#include "hpo/study/spec.h"

namespace hpo {

/// The reports of one attempt, as they came. Not thread-safe.
class LateReports {
 public:
  /// The program begins.
  void begin(base::Moment at);
  /// Reports were read.
  void came(std::size_t count, base::Moment at);
  /// True if there are several reports and the program, which took so long, kept back all of them
  /// until its end.
  [[nodiscard]] bool are_late(base::Duration took) const;
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  base::Moment begun_{};
  std::optional<base::Moment> first_;
  std::size_t count_ = 0;
};

/// "trial 3: all of its 27 reports came when ...", with the cure.
[[nodiscard]] std::string late_text(const StudySpec& study, std::uint64_t trial,
                                    std::size_t reports, base::Duration took);

}  // namespace hpo
