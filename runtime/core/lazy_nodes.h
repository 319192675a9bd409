// The pure calls that have not begun.
#pragma once

#include <mutex>
#include <vector>

#include "runtime/core/node.h"

namespace rt::inline v0::detail {

/// A list of pure nodes, in the order of their calls, that nobody asked for or that wait for an
/// answer. It owns none: whoever holds an output of a node keeps that alive, and a node that dies
/// leaves the list.
class LazyNodes {
 public:
  /// Appends a node. Driver thread only.
  void add(Node& node);
  /// Takes a node out, if it is in. Any thread.
  void remove(Node& node) noexcept;
  /// Takes all nodes out. Driver thread only, at the end.
  void clear() noexcept;

  /// Returns the nodes in a group and in the groups inside it (null: all), with a reference to each
  /// for the caller. Driver thread only.
  [[nodiscard]] std::vector<Node*> in(const GroupState* group);
  /// True if an output of a node in the group was asked for and did not come: the node waits for a
  /// key, or for an equal call elsewhere. Driver thread only.
  [[nodiscard]] bool awaits_answers(const GroupState& group);

 private:
  std::mutex mutex_;  ///< guards the list
  Node* first_ = nullptr;
  Node* last_ = nullptr;
};

}  // namespace rt::inline v0::detail
