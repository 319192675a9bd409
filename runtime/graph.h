// The graph of tasks as a picture: DOT, with a box for each group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/file.h"

namespace rt::inline v0 {

/// How a task stands or ended; decides its colour.
enum class NodeState : std::uint8_t { waiting, running, done, stored, failed, cancelled };

/// The state's name as the legend shows it.
[[nodiscard]] const char* node_state_name(NodeState state) noexcept;

/// Collects tasks, their dependencies and their groups, and writes them. Thread-safe. One node
/// costs about 120 bytes.
class Graph {
 public:
  using Node = std::uint32_t;
  using Box = std::uint32_t;
  static constexpr Box kNoBox = 0;

  /// Keeps at most `limit` nodes; the file says how many more there were. Edges to nodes not kept
  /// are dropped.
  explicit Graph(std::size_t limit = 100'000);

  /// A group, inside another one or on its own; several may have the same name.
  Box add_box(std::string name, Box inside = kNoBox);

  /// A task; the number counts from 0 in the order of submission.
  Node add_node(std::string name, Box box = kNoBox);

  /// `to` uses what `from` made; `label` says what (empty: nothing is written). An edge given twice
  /// is written once.
  void add_edge(Node from, Node to, std::string label = {});

  /// How the task stands now; the last word counts.
  void set_state(Node node, NodeState state);

  /// Number of nodes kept.
  [[nodiscard]] std::size_t size() const;
  /// The picture as DOT text: boxes as clusters, colours by state (white waiting, gold running,
  /// green done, blue answered by the store, red failed, grey cancelled).
  [[nodiscard]] std::string dot() const;

  /// The same into a file, replaced as a whole. Throws base::Error (storage).
  void write_dot(const base::Path& path) const;

 private:
  struct NodeData {
    std::string name;
    Box box;
    NodeState state;
  };
  struct BoxData {
    std::string name;
    Box inside;
  };
  struct EdgeData {
    Node from;
    Node to;
    std::string label;
  };

  mutable std::mutex mutex_;
  std::size_t limit_;
  Node added_ = 0;
  std::vector<NodeData> nodes_;
  std::vector<BoxData> boxes_;
  std::vector<EdgeData> edges_;
};

}  // namespace rt::inline v0
