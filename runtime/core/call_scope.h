// What the driver's calls have in common at the moment.
#pragma once

#include <utility>

#include "runtime/context.h"
#include "runtime/core/group_state.h"

namespace rt::inline v0::detail {

/// The group that calls belong to, and the kind of device of those whose task has a body for it.
/// Driver thread only.
class CallScope {
 public:
  /// Returns the group; null is the root.
  [[nodiscard]] const GroupPtr& group() const noexcept { return group_; }
  /// Sets the group.
  void enter(GroupPtr group) noexcept { group_ = std::move(group); }

  /// Returns the kind of device.
  [[nodiscard]] Device device() const noexcept { return device_; }
  /// Sets the kind of device and returns the one before.
  Device use(Device kind) noexcept { return std::exchange(device_, kind); }

 private:
  GroupPtr group_;
  Device device_ = Device::cpu;
};

}  // namespace rt::inline v0::detail
