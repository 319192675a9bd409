#pragma once
// How many programs run at once where the system may lack files or processes for as many as were
// asked for.

#include <cstddef>
#include <optional>

#include "base/clock.h"

namespace hpo {

class Places {
 public:
  /// `wanted`: programs at once, at least 1.
  explicit Places(std::size_t wanted) : wanted_(wanted), most_(wanted) {}

  /// Programs that may run at once. After a lack it is one more each second without another one,
  /// until there are as many as wanted.
  [[nodiscard]] std::size_t most(base::Moment now);

  /// The system had no room for one more beside `running` programs. Returns whether that is news:
  /// whether there was none such for a minute.
  bool lack(std::size_t running, base::Moment now);

 private:
  std::size_t wanted_, most_;
  base::Moment changed_{};
  std::optional<base::Moment> lacked_;
};

}  // namespace hpo
