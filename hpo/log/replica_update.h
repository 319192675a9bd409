#pragma once
// Which updates made a network whose replicas hand in gradients as they come.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpo {

/// One update of the weights, in the order in which it was applied.
struct ReplicaUpdate {
  std::uint16_t replica = 0;  ///< whose gradient it was
  std::uint32_t version = 0;  ///< of the weights that the replica had read: updates before them
  bool operator==(const ReplicaUpdate&) const = default;
};

/// Six bytes an update, the more significant ones first, and back; nothing for a text that is cut
/// short.
[[nodiscard]] std::string updates_as_bytes(const std::vector<ReplicaUpdate>& updates);
[[nodiscard]] std::optional<std::vector<ReplicaUpdate>> updates_from_bytes(std::string_view bytes);

}  // namespace hpo
