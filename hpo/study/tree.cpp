#include "hpo/study/tree.h"

#include "hpo/study/checker.h"
#include "hpo/study/substitute.h"
#include "hpo/study/yaml_reader.h"

namespace hpo::study {

Tree::Tree(Node node, const Field& row)
    : node_(std::make_shared<const Node>(std::move(node))), row_(&row) {}

bool Tree::varies() const { return node_ != nullptr && !stands_for_itself(*node_); }

Tree Tree::in(const Params& params) const {
  if (!varies()) return *this;
  const auto checked = [&](const Node& node) {
    return Tree(Checker::of_values().check(node, *row_, row_->path), *row_);
  };
  if (const std::optional<Node> value = substitute(*node_, params)) return checked(*value);
  return row_->fallback.empty() ? Tree() : checked(read_yaml(row_->fallback, node_->at));
}

}  // namespace hpo::study
