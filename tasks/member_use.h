#pragma once
// How a gang's members spend their time.

#include <cstdint>

namespace tasks {

/// What a member of a gang (gang.h) did so far.
struct MemberUse {
  double busy = 0;          ///< seconds of trainings in which it computed
  double waited = 0;        ///< and in which sums were on their way
  std::uint64_t bytes = 0;  ///< that it sent to others
};

}  // namespace tasks
