#include "runtime/graph.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/text.h"

namespace rt::inline v0 {
namespace {

const char* colour(NodeState state) {
  switch (state) {
    case NodeState::waiting:
      return "white";
    case NodeState::running:
      return "gold";
    case NodeState::done:
      return "palegreen";
    case NodeState::stored:
      return "lightblue";
    case NodeState::failed:
      return "tomato";
    case NodeState::cancelled:
      return "lightgrey";
  }
  return "white";
}

/// A DOT string: only quotes and backslashes need care; control characters are shown, not obeyed.
std::string dot_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : base::printable(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

const char* node_state_name(NodeState state) noexcept {
  switch (state) {
    case NodeState::waiting:
      return "waiting";
    case NodeState::running:
      return "running";
    case NodeState::done:
      return "done";
    case NodeState::stored:
      return "stored";
    case NodeState::failed:
      return "failed";
    case NodeState::cancelled:
      return "cancelled";
  }
  return "waiting";
}

Graph::Graph(std::size_t limit) : limit_(limit) {}

Graph::Box Graph::add_box(std::string name, Box inside) {
  const std::scoped_lock lock(mutex_);
  boxes_.push_back({std::move(name), inside <= boxes_.size() ? inside : kNoBox});
  return static_cast<Box>(boxes_.size());
}

Graph::Node Graph::add_node(std::string name, Box box) {
  const std::scoped_lock lock(mutex_);
  if (nodes_.size() < limit_)
    nodes_.push_back({std::move(name), box <= boxes_.size() ? box : kNoBox, NodeState::waiting});
  return added_++;
}

void Graph::add_edge(Node from, Node to, std::string label) {
  const std::scoped_lock lock(mutex_);
  if (from < nodes_.size() && to < nodes_.size()) edges_.push_back({from, to, std::move(label)});
}

void Graph::set_state(Node node, NodeState state) {
  const std::scoped_lock lock(mutex_);
  if (node < nodes_.size()) nodes_[node].state = state;
}

std::size_t Graph::size() const {
  const std::scoped_lock lock(mutex_);
  return nodes_.size();
}

std::string Graph::dot() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::vector<Node>> members(boxes_.size() + 1);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    members[nodes_[i].box].push_back(static_cast<Node>(i));
  std::vector<std::vector<Box>> inner(boxes_.size() + 1);
  for (std::size_t i = 0; i < boxes_.size(); ++i)
    inner[boxes_[i].inside].push_back(static_cast<Box>(i + 1));

  std::string out =
      "digraph tasks {\n  rankdir=TB;\n  node [shape=box, style=\"filled,rounded\", "
      "fontname=\"sans-serif\"];\n";
  // Boxes are made after the ones they are in, so their depth needs no recursion bound of its own.
  const auto write_box = [&](const auto& self, Box box, const std::string& indent) -> void {
    for (const Node n : members[box]) {
      out += base::cat(indent, "t", n, " [label=", dot_string(nodes_[n].name),
                       ", fillcolor=", colour(nodes_[n].state), ", tooltip=\"",
                       node_state_name(nodes_[n].state), "\"];\n");
    }
    for (const Box b : inner[box]) {
      out += base::cat(indent, "subgraph cluster_", b, " {\n", indent,
                       "  label=", dot_string(boxes_[b - 1].name), ";\n");
      self(self, b, indent + "  ");
      out += base::cat(indent, "}\n");
    }
  };
  write_box(write_box, kNoBox, "  ");
  std::set<std::tuple<Node, Node, std::string_view>> written;
  for (const EdgeData& e : edges_) {
    if (!written.emplace(e.from, e.to, e.label).second) continue;
    out += base::cat("  t", e.from, " -> t", e.to,
                     e.label.empty() ? "" : base::cat(" [label=", dot_string(e.label), "]"), ";\n");
  }
  if (added_ > nodes_.size()) {
    out += base::cat("  more [label=\"", added_ - nodes_.size(),
                     " more tasks\", shape=plaintext, style=\"\"];\n");
  }
  return out + "}\n";
}

void Graph::write_dot(const base::Path& path) const {
  base::write_file_atomic(path, dot(), base::Durability::cached);
}

}  // namespace rt::inline v0
