#pragma once
// How a gang's members spend their time, and how they changed.

#include <cstdint>

namespace tasks {

/// What a member of a gang (gang.h) did so far in trainings.
struct MemberUse {
  double busy = 0;          ///< seconds in which it computed
  double waited = 0;        ///< in which it had nothing to do until others came
  double moved = 0;         ///< in which it sent, took and added numbers of others
  double under_way = 0;     ///< in which sums were on their way, also while it computed
  std::uint64_t bytes = 0;  ///< that it sent to others
};

[[nodiscard]] constexpr MemberUse operator+(const MemberUse& a, const MemberUse& b) {
  return {a.busy + b.busy, a.waited + b.waited, a.moved + b.moved, a.under_way + b.under_way,
          a.bytes + b.bytes};
}

/// Returns the share of its time in which a member computed: 0 if it had none.
[[nodiscard]] constexpr double compute_ratio(const MemberUse& use) {
  const double all = use.busy + use.waited + use.moved;
  return all > 0 ? use.busy / all : 0;
}

/// Returns the share of the sums' time in which a member computed: 0 without sums.
[[nodiscard]] constexpr double overlap_of(const MemberUse& use) {
  const double stood = use.waited + use.moved;
  return use.under_way > stood ? 1 - stood / use.under_way : 0;
}

/// Members that were lost and that came while a gang trained.
struct GangChanges {
  int lost = 0, joined = 0;
  double longest_pause = 0;  ///< seconds from a loss, or a silent one's last word, to the next step
  double longest_join = 0;   ///< seconds from a member's first word to the end of its first step
};

}  // namespace tasks
