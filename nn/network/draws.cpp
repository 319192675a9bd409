#include "nn/network/draws.h"

namespace nn {

UnitIds::UnitIds(const UnitState& units) {
  for (const UnitState::Group& group : units.groups) {
    auto& ids = groups_[group.name];
    for (const std::int64_t id : group.ids) ids.push_back(static_cast<std::uint32_t>(id));
  }
}

const std::uint32_t* UnitIds::find(std::string_view group) const {
  const auto it = groups_.find(group);
  return it == groups_.end() ? nullptr : it->second.data();
}

}  // namespace nn
